#include "profile/characterise/epochs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "base/os/temp_folder.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/make.h"
#include "module/module_testing.h"
#include "profile/characterise/epochs_report.h"
#include "profile/characterise/epochs_testing.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

TEST(OutlyingEpochs, AreSaid) {
  const auto said = [](const std::vector<double>& seconds, int64_t minibatches_of_last = 10) {
    EpochRun run = run_of_epochs(seconds);
    run.epochs.back().minibatch_count = minibatches_of_last;
    return outlying_epochs(run);
  };
  EXPECT_EQ(said({0.2, 0.8, 21, 1.5, 0.3, 1.1}),
            "epoch 2 took 21 s, far beyond the others (median 0.95 s)");
  EXPECT_EQ(said({1, 1, 7, 2, 1, 9}),
            "epoch 2 took 7 s, epoch 5 took 9 s, far beyond the others (median 1.5 s)");
  EXPECT_EQ(said({0.2, 0.8, 1.4, 1.5, 0.3, 1.1}), "");
  EXPECT_EQ(said({1, 1.02, 0.98, 1.1}), "");
  EXPECT_EQ(said({1, 9}), "") << "two epochs do not say which is usual";
  EXPECT_EQ(said({10, 10, 10, 1}, 1), "") << "a short epoch";
}

class EpochsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    ASSERT_TRUE(make_dataset("mnist", 96, folder_->path() / "digits").ok());
    ASSERT_TRUE(
        make_dataset("images", 20, folder_->path() / "images", {.classes = 2, .size = {64, 48}})
            .ok());
  }
  static void TearDownTestSuite() { delete folder_; }
  void SetUp() override { FLYBALL_NEEDS_TORCH(); }

  static EpochRequest digits() {
    EpochRequest request;
    request.data = folder_->path() / "digits";
    request.step.threads = 1;
    request.keep_minibatches = true;
    return request;
  }

  static std::vector<double> losses(const EpochRun& run) {
    std::vector<double> all;
    for (const EpochRecord& epoch : run.epochs)
      for (const MinibatchRecord& minibatch : epoch.minibatches) all.push_back(minibatch.loss);
    return all;
  }

  static TempFolder* folder_;
};
TempFolder* EpochsTest::folder_ = nullptr;

TEST_F(EpochsTest, TheTimeOfAnEpochIsSplitWithoutRemainder) {
  EpochRequest request = digits();
  request.workers = 1;
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_EQ(run->epochs.size(), 2u);
  EXPECT_EQ(run->parameters, 61706);
  EXPECT_EQ(run->dataset_kind, "mnist");
  EXPECT_EQ(run->dataset_samples, 96);
  EXPECT_EQ(run->dataset_bytes, 16u + 8 + 96 * 785);
  EXPECT_EQ(run->buffer_bytes, 3u * 16 * (28 * 28 * 4 + 8));  // one worker, prefetch 2
  for (const EpochRecord& epoch : run->epochs) {
    EXPECT_EQ(epoch.samples, 96);
    ASSERT_EQ(epoch.minibatches.size(), 6u);
    EXPECT_EQ(epoch.minibatch_count, 6);
    EXPECT_THAT(epoch.stall_s + epoch.compute_s + epoch.overhead_s, DoubleNear(epoch.e2e_s, 1e-9));
    EXPECT_GT(epoch.compute_s, 0);
    EXPECT_GE(epoch.overhead_s, 0);
    double sum = 0;
    for (const MinibatchRecord& minibatch : epoch.minibatches) {
      EXPECT_GE(minibatch.e2e_ms(), minibatch.stall_ms + minibatch.compute_ms);
      EXPECT_LE(minibatch.fetch_begin_ns, minibatch.ready_ns);
      EXPECT_EQ(minibatch.worker, 0);
      sum += minibatch.e2e_ms();
    }
    EXPECT_THAT(sum * 1e-3, DoubleNear(epoch.e2e_s, 1e-4));
    EXPECT_GT(epoch.use.cpu_s, 0);
    EXPECT_GT(epoch.use.peak_memory_bytes, 1e6);
  }
  const auto later = run->later();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->epochs, 1);
  EXPECT_EQ(later->e2e_s, run->epochs[1].e2e_s);
}

TEST_F(EpochsTest, WorkersChangeNothingOfTheLoss) {
  EpochRequest request = digits();
  const auto inline_run = run_epochs(request);
  request.workers = 2;
  request.prefetch = 3;
  const auto pipelined = run_epochs(request);
  ASSERT_TRUE(inline_run.ok() && pipelined.ok());
  EXPECT_EQ(losses(*inline_run).size(), 12u);
  EXPECT_EQ(losses(*inline_run), losses(*pipelined));
  EXPECT_LT(inline_run->epochs[1].loss, inline_run->epochs[0].loss);
}

TEST_F(EpochsTest, StepsBoundAnEpochAndTheHookRunsBeforeEach) {
  EpochRequest request = digits();
  request.epochs = 3;
  request.steps = 2;
  request.workers = 2;
  std::vector<int> hooks;
  std::vector<int64_t> done;
  request.before_epoch = [&](int epoch) {
    hooks.push_back(epoch);
    return Status();
  };
  request.progress = [&](int, int64_t now, int64_t of) {
    done.push_back(now);
    EXPECT_EQ(of, 2);
  };
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(hooks, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(done, (std::vector<int64_t>{1, 2, 1, 2, 1, 2}));
  ASSERT_EQ(run->epochs.size(), 3u);
  for (const EpochRecord& epoch : run->epochs) EXPECT_EQ(epoch.samples, 32);
}

TEST_F(EpochsTest, AFailingHookEndsTheRun) {
  EpochRequest request = digits();
  request.before_epoch = [](int epoch) {
    return epoch == 0 ? Status() : Status(Error{Code::permission, "no drop for you", ""});
  };
  const auto run = run_epochs(request);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "no drop for you");
}

TEST_F(EpochsTest, EnergyOfEachEpochComesFromTheSensors) {
  EpochRequest request = digits();
  request.steps = 2;
  // The hook's time is outside of the epochs and gives the sampler its samples.
  request.before_epoch = [](int) { return Status(); };
  request.interval = {0.001};
  request.sensors.sensors = {
      function_sensor({.name = "rail", .unit = "W", .kind = SensorKind::power, .total = "module"},
                      [](int64_t) -> Result<double> { return 7.5; })};
  auto run = run_epochs(request);
  // An epoch takes milliseconds: on a busy machine the sampler may sleep through one.
  for (int again = 0; again < 50 && run.ok() && !run->power_gap.empty(); ++again) {
    EXPECT_THAT(run->power_gap, HasSubstr("rail has no samples"));
    run = run_epochs(request);
  }
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->power_total, "module");
  EXPECT_EQ(run->power_gap, "");
  ASSERT_FALSE(run->traces.empty());
  ASSERT_EQ(run->epochs.size(), 2u);
  for (const EpochRecord& epoch : run->epochs) {
    ASSERT_TRUE(epoch.energy) << run->power_gap;
    EXPECT_THAT(epoch.energy->mean_w, DoubleNear(7.5, 1e-9));
    // On a busy machine the sampler comes late: what it did not see is a stated gap, no energy.
    const EnergyWindow& window = *epoch.energy;
    EXPECT_THAT(window.covered_s + window.gap_s, DoubleNear(epoch.e2e_s, 1e-6));
    EXPECT_THAT(window.energy_j, DoubleNear(7.5 * window.covered_s, 1e-9));
    EXPECT_GT(window.covered_s, 0);
  }
}

TEST_F(EpochsTest, WithoutASensorTheAbsenceIsStated) {
  EpochRequest request = digits();
  request.steps = 1;
  request.sensors.gaps = {{Code::unavailable, "power is not available on this machine: none", ""}};
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok());
  EXPECT_FALSE(run->epochs[0].energy);
  EXPECT_THAT(run->power_gap, HasSubstr("power is not available"));
}

TEST_F(EpochsTest, BadSamplesFailOrAreSkippedAndListed) {
  const auto broken = folder_->path() / "broken";
  std::filesystem::copy(folder_->path() / "images", broken,
                        std::filesystem::copy_options::recursive);
  const auto victim = std::filesystem::recursive_directory_iterator(broken);
  std::filesystem::path file;
  for (const auto& entry : victim)
    if (entry.is_regular_file()) file = entry.path();
  std::ofstream(file, std::ios::trunc).close();
  EpochRequest request;
  request.data = broken;  // LeNet-5 takes pictures of any shape
  request.step.threads = 1;
  request.step.batch_size = 4;
  request.epochs = 1;
  request.step.phase = Phase::infer;
  const auto failed = run_epochs(request);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr(file.string()));
  request.on_bad = OnBadSample::skip;
  const auto skipped = run_epochs(request);
  ASSERT_TRUE(skipped.ok()) << skipped.error().message;
  EXPECT_EQ(skipped->skipped, 1);
  EXPECT_EQ(skipped->epochs[0].skipped, 1);
  EXPECT_EQ(skipped->epochs[0].samples, 19);
  ASSERT_EQ(skipped->bad_samples.size(), 1u);
  EXPECT_THAT(skipped->bad_samples[0].error.message, HasSubstr(file.string()));
}

TEST_F(EpochsTest, AnInterruptedRunKeepsWhatItHas) {
  std::atomic<bool> stop{false};
  EpochRequest request = digits();
  request.interrupted = &stop;
  request.progress = [&](int epoch, int64_t done, int64_t) { stop = epoch == 1 && done == 2; };
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok());
  ASSERT_EQ(run->epochs.size(), 2u);
  EXPECT_EQ(run->epochs[1].minibatches.size(), 2u);
  EXPECT_EQ(run->stopped, "interrupted in epoch 1 after 2 of 6 minibatches");
  EXPECT_FALSE(run->later()) << "the only one was cut off";
}

TEST(EpochMeans, LeaveOutTheEpochThatWasCutOff) {
  EpochRun run = run_of_epochs({9, 2, 4, 0.5});
  run.epochs.back().whole = false;
  const auto later = run.later();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->epochs, 2);
  EXPECT_EQ(later->e2e_s, 3);
}

TEST_F(EpochsTest, MinibatchesAreKeptWhereTheyAreAskedFor) {
  EpochRequest request = digits();
  request.keep_minibatches = false;
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok()) << run.error().message;
  for (const EpochRecord& epoch : run->epochs) {
    EXPECT_EQ(epoch.minibatch_count, 6);
    EXPECT_EQ(epoch.samples, 96);
    ASSERT_EQ(epoch.minibatches.size(), 1u);
    EXPECT_GT(epoch.first().compute_ms, 0);
  }
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(EpochsTest, ATrainingThatDivergesEndsAndLeavesWhatWasKept) {
  const TempFolder folder;
  EpochRequest request = digits();
  request.save = folder / "kept";
  request.epochs = 1;
  ASSERT_TRUE(run_epochs(request).ok());
  const std::string kept = content_of(request.save);
  request.resume = request.save;
  request.step.learning_rate = 1e4;
  request.epochs = 3;
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->epochs.size(), 1u);
  EXPECT_EQ(run->diverged_in(), 1);
  EXPECT_THAT(run->stopped, HasSubstr("epoch 1 diverges, so it ends there"));
  EXPECT_EQ(content_of(request.save), kept);
  request.save.clear();  // its times alone are asked for
  EXPECT_EQ(run_epochs(request)->epochs.size(), 3u);
}

TEST_F(EpochsTest, WhatWasMeasuredOutlivesATrainingThatCannotBeKept) {
  const TempFolder folder;
  EpochRequest request = digits();
  request.save = folder / "kept/training";
  request.epochs = 4;
  request.before_epoch = [&](int epoch) {
    if (epoch != 1) return Status();
    std::filesystem::remove_all(folder / "kept");
    std::ofstream(folder / "kept") << "in the way";
    return Status();
  };
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->epochs.size(), 2u);
  ASSERT_TRUE(run->failure);
  EXPECT_THAT(run->failure->message, HasSubstr("kept/training"));
  EXPECT_EQ(run->stopped, run->failure->message);
}

TEST_F(EpochsTest, EpochsOfATrainingThatGoesOnAreNumberedAsItsOwn) {
  const TempFolder folder;
  EpochRequest request = digits();
  request.steps = 6;
  request.save = folder / "kept";
  ASSERT_TRUE(run_epochs(request).ok());
  request.resume = request.save;
  request.epochs = 3;
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->epochs.front().epoch, 2);
  EXPECT_EQ(run->later()->first, 3);
  EXPECT_EQ(run->later()->last, 4);
}

// Its last minibatch has one sample, which cannot be read.
TEST_F(EpochsTest, GoesOnAfterAnEpochWhoseLastMinibatchWasSkipped) {
  const TempFolder folder;
  const std::filesystem::path data = folder / "images";
  std::filesystem::copy(folder_->path() / "images", data, std::filesystem::copy_options::recursive);
  EpochRequest request;
  request.data = data;
  request.step.threads = 1;
  request.step.batch_size = 19;
  request.epochs = 1;
  request.on_bad = OnBadSample::skip;
  request.save = folder / "checkpoint";
  const auto set = *open_dataset(data, Split::train);
  const int64_t last = sample_order(set->size(), request.step.seed, 0, true).back();
  std::ofstream(set->own_file(last), std::ios::trunc).close();
  const auto first = run_epochs(request);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->epochs[0].minibatches.size(), 1u);
  EXPECT_EQ(first->skipped, 1);
  request.resume = request.save;
  const auto second = run_epochs(request);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->epochs[0].epoch, 1);
}

TEST_F(EpochsTest, SpansCoverStallsStepsAndFetches) {
  EpochRequest request = digits();
  request.steps = 2;
  request.epochs = 1;
  request.workers = 1;
  const auto run = run_epochs(request);
  ASSERT_TRUE(run.ok());
  std::map<std::string, int> tracks;
  for (const Span& span : run->spans()) {
    ++tracks[span.track];
    EXPECT_LE(span.begin_ns, span.end_ns);
  }
  EXPECT_EQ(tracks, (std::map<std::string, int>{
                        {"compute", 2}, {"epochs", 1}, {"loader worker 0", 2}, {"stall", 2}}));
}

TEST_F(EpochsTest, WrongRequestsAreNamed) {
  EpochRequest request = digits();
  request.step.phase = Phase::infer;
  request.save = "/nowhere/at/all";
  EXPECT_THAT(run_epochs(request).error().message, HasSubstr("there is nothing to keep"));
  request = digits();
  request.epochs = 0;
  EXPECT_THAT(run_epochs(request).error().message, HasSubstr("0 epochs"));
  request = digits();
  request.data = "/nowhere/at/all";
  EXPECT_THAT(run_epochs(request).error().message, HasSubstr("/nowhere/at/all"));
  request = digits();
  request.workload = "lenet";
  EXPECT_THAT(run_epochs(request).error().hint, HasSubstr("lenet5"));
}

TEST_F(EpochsTest, BytesFromFilesAndFromTheCacheAreToldApart) {
  EpochRequest request = digits();
  request.epochs = 3;
  const auto without = run_epochs(request);
  ASSERT_TRUE(without.ok()) << without.error().message;
  EXPECT_FALSE(without->cache);
  EXPECT_EQ(without->epochs[1].file_bytes(), 96 * 784);
  request.cache_bytes = 48 * 784;
  for (const int workers : {0, 2}) {
    request.workers = workers;
    const auto run = run_epochs(request);
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(losses(*run), losses(*without));
    EXPECT_EQ(run->epochs[0].file_bytes(), 96 * 784);
    for (const int epoch : {1, 2}) {
      EXPECT_EQ(run->epochs[static_cast<size_t>(epoch)].file_bytes(), 48 * 784);
      EXPECT_EQ(run->epochs[static_cast<size_t>(epoch)].cache_bytes, 48 * 784);
    }
    EXPECT_EQ(run->later()->cache_bytes, 48 * 784);
    ASSERT_TRUE(run->cache);
    EXPECT_EQ(run->cache->held_samples, 48);
    EXPECT_FALSE(run->cache->shared);
  }
}

}  // namespace
}  // namespace flyball
