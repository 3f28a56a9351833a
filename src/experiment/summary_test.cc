#include "experiment/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/statistics.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct Shape {
  double stall_s = 0, compute_s = 0, read_mb = 0, cached = 0;
};

RunFigures run_of(const RunSettings& settings, const Shape& first, const Shape& later,
                  std::vector<double> losses = {2, 1}) {
  RunFigures run{.settings = settings};
  run.dataset_bytes = 200e6;
  run.power_gap = "no sensor";
  run.losses = std::move(losses);
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    const Shape& shape = epoch == 0 ? first : later;
    EpochFigures e{.epoch = epoch};
    e.stall_s = shape.stall_s;
    e.compute_s = shape.compute_s;
    e.overhead_s = 0.5;
    e.e2e_s = shape.stall_s + shape.compute_s + 0.5;
    e.minibatches = 10;
    e.preprocess_s = 2;
    e.cached_before = shape.cached;
    e.read_bytes = shape.read_mb * 1e6;
    run.epochs.push_back(e);
  }
  return run;
}

ExperimentResult result_of(const std::string& toml, const std::vector<Shape>& first,
                           const std::vector<Shape>& later) {
  ExperimentResult result;
  const auto spec = parse_experiment(toml, "x.toml");
  EXPECT_TRUE(spec.ok()) << spec.error().message;
  result.spec = *spec;
  const auto runs = spec->runs();
  result.wanted = runs.size();
  for (size_t i = 0; i < runs.size(); ++i)
    result.runs.push_back(run_of(runs[i], first[i], later[i]));
  return result;
}

std::vector<std::string> texts(const ExperimentResult& result) {
  std::vector<std::string> list;
  for (const Finding& finding : findings_of(result, groups_of(result)))
    list.push_back((finding.as_expected ? *finding.as_expected ? "+ " : "- " : "  ") +
                   finding.text);
  return list;
}

const char* workers = "question = \"workers\"\n[vary]\nworkers = [0, 1, 2]\n";

TEST(Summary, KeepsTheFirstEpochApart) {
  const auto result = result_of(workers, {{9, 5}, {9, 5}, {9, 5}}, {{4, 6}, {1, 6}, {1, 6}});
  const auto groups = groups_of(result);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].label, "workers 0");
  EXPECT_EQ(groups[0].first.stall_s, 9);
  EXPECT_EQ(groups[0].later->epochs, 2);
  EXPECT_EQ(groups[0].later->stall_s, 4);
  EXPECT_DOUBLE_EQ(groups[0].later->stall_ms, 400);
  EXPECT_DOUBLE_EQ(groups[0].later->minibatch_ms, 1050);
  EXPECT_FALSE(groups[0].later->energy_j);
  EXPECT_THAT(gaps_of(result), testing::ElementsAre("no sensor"));
  const auto json = experiment_json(result);
  EXPECT_EQ(json["groups"].size(), 3u);
  EXPECT_TRUE(json["groups"][0]["later"]["energy_j"].is_null());
  EXPECT_EQ(json["varied"], SortedJson({"workers"}));
  EXPECT_EQ(json["fixed"]["workload"], "lenet5");
  EXPECT_EQ(json["dataset"]["bytes"], 200e6);
  EXPECT_TRUE(json["power_total"].is_null());
  ASSERT_EQ(json["groups"][2]["epochs"].size(), 3u);
  EXPECT_EQ(json["groups"][2]["epochs"][1]["epoch"], 1);
  EXPECT_EQ(json["groups"][2]["epochs"][1]["stall_s"], 1);
}

TEST(Summary, MarksWhatRanBesideAnotherSessionOrOnABusyMachine) {
  auto result = result_of(workers, {{9, 5}, {9, 5}, {9, 5}}, {{4, 6}, {1, 6}, {1, 6}});
  EXPECT_THAT(doubts_of(result), testing::IsEmpty());
  result.runs[1].disturbed = "process 7 (flyball tune)";
  for (EpochFigures& epoch : result.runs[2].epochs) epoch.others_cpu_pct = 45;
  for (EpochFigures& epoch : result.runs[0].epochs) epoch.others_cpu_pct = 1;
  const auto groups = groups_of(result);
  EXPECT_EQ(groups[0].doubts(), "");
  EXPECT_EQ(groups[1].doubts(), "beside process 7");
  EXPECT_EQ(groups[2].doubts(), "others took 45 % of a core");
  EXPECT_THAT(doubts_of(result), Contains(HasSubstr("1 of 3 runs were measured beside process 7")));
  const auto json = experiment_json(result);
  EXPECT_EQ(json["groups"][1]["disturbed"][0], "process 7 (flyball tune)");
  EXPECT_TRUE(json["groups"][0]["doubts"].is_null());
  EXPECT_EQ(json["groups"][2]["doubts"], "others took 45 % of a core");
  // Nothing is said to be enough from such figures.
  EXPECT_THAT(texts(result), Not(Contains(HasSubstr("is enough"))));
}

TEST(Findings, SayWhatPipeliningGains) {
  auto result = result_of(workers, {{9, 5}, {9, 5}, {9, 5}}, {{4, 6}, {1, 6}, {0.9, 6}});
  auto list = texts(result);
  EXPECT_THAT(list,
              Contains(HasSubstr("+ With 1 loader worker the stall of an epoch goes from 4")));
  EXPECT_THAT(list, Contains(HasSubstr("(-28.6 %)")));
  EXPECT_THAT(list, Contains(HasSubstr("1 worker is enough")));
  EXPECT_THAT(list, Contains(HasSubstr("+ The loss curve does not depend on the loader")));
  EXPECT_THAT(list, Contains(HasSubstr("compute limits")));
  // Where it does not hold, it is not said to hold.
  result = result_of(workers, {{9, 5}, {9, 5}, {9, 5}}, {{4, 6}, {5, 6}, {5, 6}});
  result.runs[2].losses = {2, 1.5};
  list = texts(result);
  EXPECT_THAT(list, Contains(HasSubstr("- With 1 loader worker")));
  EXPECT_THAT(list, Contains(HasSubstr("- The losses of 3 runs differ by up to 0.5")));
}

// A training that diverges costs the time that it costs: the figures stand, and that is said.
TEST(Findings, SayWhichTrainingsDiverged) {
  auto result = result_of(workers, {{9, 5}, {9, 5}, {9, 5}}, {{4, 6}, {1, 6}, {0.9, 6}});
  for (RunFigures& run : result.runs) run.losses = {2, not_known};
  EXPECT_THAT(texts(result), Contains(HasSubstr("all 2 losses of 3 runs are equal bit for bit")));
  result.runs[2].losses = {2, 1};
  EXPECT_THAT(doubts_of(result), testing::ElementsAre("the loss of 2 of 3 runs is no number any "
                                                      "more: these trainings diverged"));
  EXPECT_THAT(texts(result), Contains(HasSubstr("- Of 3 runs some diverge and others do not")));
  EXPECT_THAT(texts(result), Contains(HasSubstr("1 worker is enough")));
}

// Batch sizes 1 and 16, each with 0 and 2 workers: a batch size is compared with itself alone.
TEST(Findings, CompareWhatDiffersInNothingElse) {
  const std::string text = "[vary]\nbatch_size = [1, 16]\nworkers = [0, 2]\n";
  const std::vector<Shape> shapes = {{40, 60}, {20, 60}, {4, 6}, {1, 6}};
  auto result = result_of("question = \"workers\"\n" + text, shapes, shapes);
  result.runs[2].losses = result.runs[3].losses = {3, 2};  // of other minibatches
  EXPECT_THAT(
      texts(result),
      testing::AllOf(
          Contains(HasSubstr("batch_size 1: With 2 loader workers the stall of an epoch goes from "
                             "40 s to 20 s")),
          Contains(HasSubstr("batch_size 16: With 2 loader workers the stall of an epoch goes from "
                             "4 s to 1 s")),
          Contains("  batch_size 1: 2 workers are enough: no other number of workers is more than "
                   "2 % faster."),
          Contains(HasSubstr("+ batch_size 16: The loss curve does not depend on the loader: all 2 "
                             "losses of 2 runs")),
          Not(Contains(HasSubstr("depends on the setting")))));

  result = result_of("question = \"pipelining_energy\"\n" + text, shapes, shapes);
  for (RunFigures& run : result.runs)
    for (EpochFigures& epoch : run.epochs) epoch.energy_j = 10 * epoch.e2e_s;
  EXPECT_THAT(texts(result),
              Contains(HasSubstr("+ batch_size 16: 2 workers change the energy of an epoch from "
                                 "105 J to 75 J")));

  result = result_of("question = \"batch_size\"\n" + text, shapes, shapes);
  EXPECT_THAT(texts(result), Contains(HasSubstr("workers 2: The stall of an epoch goes from 20 s "
                                                "to 1 s")));

  result = result_of(
      "question = \"storage\"\n[[media]]\nname = \"disk\"\n[[media]]\nname = \"slow\"\n[vary]\n"
      "batch_size = [1, 16]\nmedium = [\"disk\", \"slow\"]\n",
      {{1, 10}, {9, 10}, {2, 10}, {8, 10}}, {{1, 10}, {9, 10}, {2, 10}, {8, 10}});
  EXPECT_THAT(texts(result), Contains(HasSubstr("batch_size 16: At 0 workers the stall of the "
                                                "first epoch is 2 s on 'disk' and 8 s on 'slow'")));
}

TEST(Findings, SayWhetherTheCacheHoldsTheSet) {
  const std::string text = "question = \"cache\"\n[vary]\nclear = [\"start\", \"epoch\"]\n";
  auto list =
      texts(result_of(text, {{3, 5, 200, 0}, {3, 5, 200, 0}}, {{1, 5, 0, 1}, {3, 5, 200, 0}}));
  EXPECT_THAT(list, Contains(HasSubstr("The cache holds the set.")));
  EXPECT_THAT(list, Contains(HasSubstr("+ clear epoch: ")));
  list =
      texts(result_of(text, {{3, 5, 200, 0}, {3, 5, 200, 0}}, {{1, 5, 150, 0.3}, {3, 5, 20, 0.9}}));
  EXPECT_THAT(list, Contains(HasSubstr("does not hold the set")));
  EXPECT_THAT(list, Contains(HasSubstr("- clear epoch: ")));
}

// Set of 200 MB. Runs in their order: memory 50 % without and with our cache, 25 % likewise.
TEST(Findings, SetTheSampleCacheBesideThePageCache) {
  const std::string text =
      "question = \"cache\"\n[[media]]\nname = \"slow\"\nread_mb_s = 10\n"
      "[fixed]\nmedium = \"slow\"\n[vary]\ncache_pct = [0, 90]\nmemory_pct = [50]\n";
  auto result =
      result_of(text, {{15, 5, 200, 0}, {15, 5, 200, 0}}, {{12, 5, 170, 0.4}, {6, 5, 110, 0.1}});
  for (RunFigures& run : result.runs)
    for (EpochFigures& epoch : run.epochs) {
      const bool ours = run.settings.cache_pct > 0 && epoch.epoch > 0;
      epoch.cache_bytes = ours ? 90e6 : 0;
      epoch.file_bytes = 200e6 - *epoch.cache_bytes;
    }
  const auto list = texts(result);
  EXPECT_THAT(list,
              Contains(testing::AllOf(HasSubstr("+ cache_pct 0, memory_pct 50: "),
                                      HasSubstr("would hit 15 %"), HasSubstr("it hit 15 %"))));
  EXPECT_THAT(list, Contains(testing::AllOf(HasSubstr("+ cache_pct 90, memory_pct 50: "),
                                            HasSubstr("room for 45 % of the set"),
                                            HasSubstr("110 MB of 200 MB from files"))));
  EXPECT_THAT(list, Contains(HasSubstr("an epoch takes 11.5 s instead of 17.5 s (-34.3 %)")));
  EXPECT_THAT(list, Contains(testing::AllOf(HasSubstr("200 MB of memory would hold the set"),
                                            HasSubstr("busy for 97 %"),
                                            HasSubstr("one twice as fast brings 8.5 s at most"))));
  // A disk that is idle for half of the epoch.
  for (RunFigures& run : result.runs)
    for (EpochFigures& epoch : run.epochs) epoch.read_bytes = *epoch.read_bytes / 2;
  EXPECT_THAT(texts(result), Contains(testing::AllOf(HasSubstr("busy for 49 %"),
                                                     HasSubstr("a faster one brings 8.5 s at most"),
                                                     HasSubstr("more workers share"))));
  result.runs[1].epochs[1].read_bytes = result.runs[1].epochs[2].read_bytes = 0;
  EXPECT_THAT(texts(result), Contains(testing::AllOf(HasSubstr("  cache_pct 90"),
                                                     HasSubstr("nothing is read any more"))));
  // Where it did not hold what it should have, that is said.
  result.runs[1].epochs[1].cache_bytes = 80e6;
  result.runs[1].epochs[1].file_bytes = 120e6;
  EXPECT_THAT(texts(result), Contains(HasSubstr("- cache_pct 90, memory_pct 50: ")));
  // A hidden stall asks for no remedy.
  for (RunFigures& run : result.runs)
    for (EpochFigures& epoch : run.epochs) epoch.stall_s = 0.01;
  EXPECT_THAT(texts(result), Contains(HasSubstr("neither memory, nor a faster disk")));
}

TEST(Findings, SayWhetherAFasterDiskWouldPay) {
  const std::string text =
      "question = \"storage\"\n[[media]]\nname = \"disk\"\n[[media]]\nname = \"slow\"\n"
      "[vary]\nmedium = [\"disk\", \"slow\"]\nworkers = [0, 2]\n";
  const auto list = texts(result_of(text, {{1, 10}, {0.1, 10}, {9, 10}, {0.2, 10}},
                                    {{1, 10}, {0.1, 10}, {9, 10}, {0.2, 10}}));
  EXPECT_THAT(list, Contains(testing::AllOf(HasSubstr("At 0 workers"), HasSubstr("'slow'"),
                                            HasSubstr("a faster disk pays"))));
  EXPECT_THAT(list, Contains(testing::AllOf(HasSubstr("At 2 workers"),
                                            HasSubstr("a faster disk would not pay"))));
}

TEST(Findings, EnergyIsAStatedGapWithoutASensor) {
  const std::string text = "question = \"pipelining_energy\"\n[vary]\nworkers = [0, 4]\n";
  auto result = result_of(text, {{9, 5}, {9, 5}}, {{4, 6}, {1, 6}});
  EXPECT_THAT(texts(result), Contains(HasSubstr("is not known here")));
  for (RunFigures& run : result.runs)
    for (EpochFigures& epoch : run.epochs)
      epoch.energy_j = run.settings.workers == 0 ? 100.0 : 80.0;
  const auto list = texts(result);
  EXPECT_THAT(list, Contains(HasSubstr("+ 4 workers change the energy of an epoch from 100 J to "
                                       "80 J (-20.0 %)")));
  EXPECT_THAT(list, Not(Contains(HasSubstr("not known"))));
}

TEST(Findings, SpreadOverEpochsAndRuns) {
  const std::string text = "question = \"variability\"\nrepeats = 2\n[fixed]\nepochs = 3\n";
  auto result = result_of(text, {{1, 8.5}}, {{1, 8.5}});
  result.runs.push_back(result.runs[0]);
  result.runs[1].repeat = 1;
  result.runs[0].epochs[1].e2e_s = 11;
  result.runs[1].epochs[1].e2e_s = result.runs[1].epochs[2].e2e_s = 12;
  const auto list = texts(result);
  EXPECT_THAT(list, Contains(HasSubstr("Run 1: epochs 1 to 2")));
  EXPECT_THAT(list, Contains(HasSubstr("differ by 10.0 %")));
  EXPECT_THAT(list, Contains(HasSubstr("Between 2 runs the median epoch differs by 14.3 %")));
}

// Of the settings' steady epochs; the page has it among the findings.
TEST(Findings, SayHowBusyTheGpuWas) {
  const Shape shape{.compute_s = 1};
  ExperimentResult result = result_of(
      "question = \"workers\"\n[dataset]\nmake = \"digits\"\nsamples = 10\n[vary]\nworkers = "
      "[0, 1, 2]\n",
      {shape, shape, shape}, {shape, shape, shape});
  const double loads[] = {45, 70.5, 93.2};
  for (size_t i = 0; i < 3; ++i)
    for (EpochFigures& epoch : result.runs[i].epochs) {
      epoch.gpu_load_pct = epoch.epoch == 0 ? 5 : loads[i];
      epoch.gpu_mhz = 1300.5;
    }
  EXPECT_THAT(texts(result), Not(Contains(HasSubstr("The GPU is busy"))));  // of somebody else
  result.compute = "cuda:0";
  EXPECT_THAT(texts(result), Contains(HasSubstr("The GPU is busy from 45 % of the time at 1301 MHz "
                                                "(workers 0) to 93 % of the time at 1301 MHz "
                                                "(workers 2).")));
  const auto json = experiment_json(result);
  EXPECT_EQ(json["compute"], "cuda:0");
  EXPECT_EQ(json["groups"][1]["later"]["gpu_load_pct"], 70.5);
  EXPECT_TRUE(json["groups"][1]["later"]["gpu_memory_bytes"].is_null());
}

}  // namespace
}  // namespace flyball
