#include "profile/trials/twin_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

#include "profile/trials/chosen_modes.h"

namespace flyball {
namespace {

using testing::HasSubstr;

std::unique_ptr<Profiler> profiler(const std::string& board_name, const std::string& workload,
                                   Phase phase, const TwinTrialOptions& options = {}) {
  const auto board = open_board("twin:" + board_name);
  EXPECT_TRUE(board.ok());
  auto known = known_twin_workload(workload, phase);
  EXPECT_TRUE(known.ok());
  auto made = make_twin_profiler(**board, *std::move(known), options);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return *std::move(made);
}

TEST(TwinProfiler, OffersTheWholeGridAndStartsAtMaxn) {
  const auto train = profiler("orin_agx", "resnet18", Phase::train);
  size_t modes = 1;
  for (const Axis& axis : train->space().axes()) modes *= axis.values.size();
  EXPECT_EQ(train->space().size(), modes);
  for (const Axis& axis : train->space().axes())
    EXPECT_EQ(train->space().settings(train->default_config()).at(axis.name), axis.values.back());
  const auto serve = profiler("orin_agx", "resnet18", Phase::infer);
  EXPECT_EQ(serve->space().size(), 7 * modes);
  EXPECT_EQ(serve->space().settings(serve->default_config()).at(axis::batch_size), 16);
}

TEST(TwinProfiler, EverythingSaysSimulated) {
  const auto twin = profiler("orin_agx", "resnet18", Phase::train);
  EXPECT_EQ(twin->info().provenance, Provenance::simulated);
  EXPECT_TRUE(twin->info().accepted(Provenance::simulated));
  const auto m = twin->measure(twin->default_config());
  ASSERT_TRUE(m.ok());
  ASSERT_FALSE(m->failed()) << m->failure;
  EXPECT_EQ(m->provenance, Provenance::simulated);
  EXPECT_EQ(m->origin, Origin::simulated);
  EXPECT_THAT(m->stop_reason, HasSubstr("simulated"));
  EXPECT_EQ(m->minibatches.size(), 40u);
  EXPECT_EQ(m->power->total, "module");
  EXPECT_NEAR(m->power->mean_w * m->power->window_s, m->power->energy_j, 1e-9);
}

TEST(TwinProfiler, SaysWhatItsDefaultIs) {
  const auto reason = [](const std::vector<Axis>& open) {
    TwinTrialOptions options;
    options.open = open;
    const auto twin = profiler("orin_agx", "resnet18", Phase::train, options);
    const std::string text = twin->default_reason();
    EXPECT_EQ(twin->info().default_is_highest, text.find("(MAXN)") != std::string::npos);
    return text;
  };
  EXPECT_EQ(reason({}),
            "the highest value of each board axis (MAXN), batch size 16, 4 loader workers");
  EXPECT_THAT(reason({named_axis(axis::loader_workers, {0, 1})}),
              HasSubstr("(MAXN), batch size 16, loader_workers 1"));
  const std::string narrowed = reason({named_axis(axis::gpu_mhz, {306, 408})});
  EXPECT_THAT(narrowed, HasSubstr("not MAXN: gpu_mhz is narrowed"));
}

// The tables of AGX Orin have the sum of all rails, of which one carries another.
TEST(TwinProfiler, SaysHowItsPowerComparesWithAMonitors) {
  const auto remark = [](const std::string& board) {
    return profiler(board, "resnet18", Phase::train)->info().power_remark;
  };
  EXPECT_THAT(remark("orin_agx"), HasSubstr("are 30 % more"));
  EXPECT_EQ(remark("rpi5"), "");
}

// Of 40 minibatches with three workers 39 are whole rounds.
TEST(TwinProfiler, ATrialIsTheMeanOverWholeRoundsOfItsWorkers) {
  const auto twin = profiler("orin_agx", "resnet18", Phase::train,
                             {.open = {named_axis(axis::loader_workers, {3})}});
  const auto m = twin->measure(twin->default_config());
  ASSERT_TRUE(m.ok() && !m->failed());
  double sum_ms = 0;
  for (size_t i = 1; i < 40; ++i) sum_ms += m->minibatches[i].e2e_ms;
  EXPECT_NEAR(m->minibatch_ms, sum_ms / 39, 1e-6);
  EXPECT_NEAR(m->power->window_s, 1e-3 * sum_ms, 1e-6);
  EXPECT_EQ(m->interference.throttled, std::nullopt) << "heat slows no twin, and nobody looked";
}

TEST(TwinProfiler, MemoryThatTheUserAllowsIsHeeded) {
  const auto batches = [](const TwinTrialOptions& options) {
    const auto twin = profiler("orin_agx", "resnet18", Phase::infer, options);
    return find_axis(twin->space().axes(), axis::batch_size)->values;
  };
  const std::vector<double> all = {1, 2, 4, 8, 16, 32, 64};
  EXPECT_EQ(batches({}), all);
  TwinWorkload workload = *known_twin_workload("resnet18", Phase::infer);
  workload.data.resident = true;  // as requests are
  const Twin twin = *Twin::make(*find_twin_board("orin_agx"), workload);
  const auto needed =
      static_cast<uint64_t>(twin.memory({.mode = {}, .batch_size = 16}).needed_bytes) + 1;
  EXPECT_EQ(batches({.memory = needed}), (std::vector<double>{1, 2, 4, 8, 16}));
  EXPECT_EQ(batches({.memory = needed, .memory_check = false}), all);
}

TEST(TwinProfiler, TheSeedDecidesAndRepeatsDiffer) {
  const auto first = profiler("orin_agx", "resnet18", Phase::train, {.seed = 7}),
             same = profiler("orin_agx", "resnet18", Phase::train, {.seed = 7}),
             other = profiler("orin_agx", "resnet18", Phase::train, {.seed = 8});
  const size_t config = first->default_config();
  const double ms = first->measure(config)->minibatch_ms;
  const double again = first->measure(config)->minibatch_ms;
  EXPECT_EQ(same->measure(config)->minibatch_ms, ms);
  EXPECT_NE(again, ms);
  EXPECT_NE(other->measure(config)->minibatch_ms, ms);
  same->next_repeat(config, 1);  // as if a store had answered the first one
  EXPECT_EQ(same->measure(config)->minibatch_ms, again);
  EXPECT_NE(first->info().conditions, other->info().conditions);
}

// What is chosen among is no part of the simulation: its trials serve again.
TEST(TwinProfiler, NarrowedAxesAreTheSameSimulation) {
  const auto conditions = [](const TwinTrialOptions& options) {
    return profiler("orin_agx", "resnet18", Phase::train, options)->info().conditions;
  };
  const auto all = conditions({});
  EXPECT_EQ(conditions({.open = {named_axis(axis::cpu_cores, {4, 6})}}), all);
  EXPECT_EQ(conditions({.open = {named_axis(axis::batch_size, {32, 64})}}), all);
}

TEST(TwinProfiler, NarrowedModesAreTheSameTrials) {
  auto all = profiler("orin_agx", "resnet18", Phase::train);
  const double ms = all->measure(all->default_config())->minibatch_ms;
  auto some = with_modes(profiler("orin_agx", "resnet18", Phase::train),
                         {.kind = ModeChoice::Kind::sample, .count = 10, .seed = 3});
  ASSERT_TRUE(some.ok());
  EXPECT_EQ((*some)->space().size(), 10u);
  EXPECT_EQ((*some)->measure((*some)->default_config())->minibatch_ms, ms);
}

TEST(TwinProfiler, ABatchThatDoesNotFitIsNoCandidateWhoeverNamedIt) {
  const auto nano = profiler("nano", "resnet18", Phase::train,
                             {.open = {named_axis(axis::batch_size, {1, 16, 4096})}});
  EXPECT_EQ(find_axis(nano->space().axes(), axis::batch_size)->values,
            (std::vector<double>{1, 16}));
  EXPECT_THAT(join(nano->info().gaps, "; "),
              HasSubstr("left out: batch_size 4096 with 4 loader_workers needs "));
  const auto board = open_board("twin:nano");
  const auto none = make_twin_profiler(**board, *known_twin_workload("bert_large", Phase::train),
                                       {.open = {named_axis(axis::batch_size, {4, 8})}});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("not even one sample fits"));
  const auto large = make_twin_profiler(**board, *known_twin_workload("resnet18", Phase::train),
                                        {.open = {named_axis(axis::batch_size, {4096})}});
  ASSERT_FALSE(large.ok());
  const std::string hint = large.error().hint;
  const double batch = std::stod(hint.substr(hint.find("batch_size=") + 11));
  const auto fits = [&](double samples) {
    return make_twin_profiler(**board, *known_twin_workload("resnet18", Phase::train),
                              {.open = {named_axis(axis::batch_size, {samples})}})
        .ok();
  };
  EXPECT_TRUE(fits(batch)) << hint;
  EXPECT_FALSE(fits(batch + 1)) << hint;
}

TEST(TwinProfiler, EachConfigurationFitsWithItsOwnLoader) {
  const Twin twin =
      *Twin::make(*find_twin_board("nano"), *known_twin_workload("resnet18", Phase::train));
  const auto largest = [&](double workers) {
    return static_cast<double>(
        twin.memory({.mode = {}, .batch_size = 1, .loader_workers = workers}).largest_batch);
  };
  const double few = largest(4), more = largest(0);
  ASSERT_LT(few, more);
  const auto nano = profiler("nano", "resnet18", Phase::train,
                             {.open = {named_axis(axis::batch_size, {few, more}),
                                       named_axis(axis::loader_workers, {0, 4})}});
  size_t least = 0, most = 0;
  for (size_t row = 0; row < nano->space().size(); ++row) {
    const Settings one = nano->space().settings(row);
    if (one.at(axis::batch_size) == few) ++least;
    if (one.at(axis::batch_size) == more) {
      ++most;
      EXPECT_EQ(one.at(axis::loader_workers), 0);
    }
  }
  EXPECT_EQ(least, 2 * most);
  EXPECT_FALSE(nano->measure(nano->default_config())->failed());
}

TEST(TwinProfiler, UncheckedABatchThatDoesNotFitFailsAsOnTheBoard) {
  const auto nano =
      profiler("nano", "resnet18", Phase::train,
               {.open = {named_axis(axis::batch_size, {1, 16, 4096})}, .memory_check = false});
  Settings settings = nano->space().settings(nano->default_config());
  settings[axis::batch_size] = 4096;
  const auto config = nano->space().find(*nano->space().to_row(settings));
  ASSERT_TRUE(config);
  const auto m = nano->measure(*config);
  ASSERT_TRUE(m.ok());
  EXPECT_TRUE(m->failed());
  EXPECT_THAT(m->failure, HasSubstr("batch_size 4096 with 4 loader_workers needs "));
}

TEST(TwinProfiler, WhatTheBoardHasNotIsNamed) {
  const auto board = open_board("twin:orin_agx");
  const auto refuse = [&](const std::string& name, std::vector<double> values) {
    auto made = make_twin_profiler(**board, *known_twin_workload("resnet18", Phase::train),
                                   {.open = {named_axis(name, std::move(values))}});
    EXPECT_FALSE(made.ok()) << name;
    return made.ok() ? "" : made.error().message;
  };
  EXPECT_THAT(refuse(axis::gpu_mhz, {1}), HasSubstr("gpu_mhz cannot be 1"));
  EXPECT_THAT(refuse(axis::batch_size, {0.5}), HasSubstr("batch_size"));
  EXPECT_THAT(refuse("fan", {1}), HasSubstr("'fan'"));
}

}  // namespace
}  // namespace flyball
