#include "report/run_report.h"

#include <gmock/gmock.h>

#include <set>

#include "base/json.h"

namespace flyball {
namespace {

StoredMeasurement trial_with(double cores, const std::string& total, const std::string& libraries) {
  Measurement m;
  m.trial = {{{{"cpu_cores", cores}}}, {"net", Phase::train, {}}};
  m.device = "board";
  m.fingerprint = "f";
  m.conditions = Conditions{{"libraries", libraries}};
  m.minibatch_ms = 100 / cores;
  m.power = PowerReading{};
  m.power->mean_w = 10 * cores;
  m.power->total = total;
  return {1, m, false};
}

// Power totals and software that differ within one run stand apart.
TEST(RunReport, TellsSourcesApart) {
  StoredRun run;
  run.id = 3;
  run.state = RunState::interrupted;
  run.measurements = 3;
  const auto page = run_report(run,
                               {trial_with(1, "module", "2.6"), trial_with(2, "input", "2.6"),
                                trial_with(4, "module", "2.7")},
                               {});
  EXPECT_EQ(page["kind"], "run");
  const auto& answer = page["answer"];
  EXPECT_EQ(answer["state"], "interrupted");
  std::set<std::string> sources;
  for (const auto& one : answer["trials"]) sources.insert(one["source"]);
  EXPECT_EQ(sources, (std::set<std::string>{"A", "B", "C"}));
  EXPECT_EQ(answer["sources"][0]["differences"].size(), 0u);
  EXPECT_EQ(answer["sources"][1]["differences"][0], "power total is module in A, input in B");
  EXPECT_EQ(answer["sources"][2]["differences"][0], "libraries is 2.6 in A, 2.7 in C");
}

StoredFigures measured_figures(int workers, int repeat) {
  StoredFigures one;
  one.figures.settings.workers = workers;
  one.figures.repeat = repeat;
  one.figures.started_utc = "2026-01-02T03:04:05Z";
  one.figures.dataset_samples = 600;
  one.figures.epochs = {{.epoch = 0, .e2e_s = 2.0 + workers}, {.epoch = 1, .e2e_s = 1.0 + workers}};
  return one;
}

// An earlier program kept neither the epochs nor what varied, and knew fewer settings.
TEST(RunReport, CompletesAnExperimentByItsRuns) {
  StoredRun run;
  run.request.request = R"({"experiment": "small", "fixed": {"workload": "lenet5", "seed": 1},
                            "vary": {"workers": [0, 1]}})";
  run.request.command = "flyball experiment run small.toml";
  run.answer = R"({"experiment": "small", "groups": [{"settings": {"workers": 0}},
                   {"settings": {"workers": 1}}]})";
  const auto page = run_report(
      run, {}, {}, {measured_figures(0, 0), measured_figures(1, 0), measured_figures(0, 1)});
  EXPECT_EQ(page["kind"], "experiment");
  EXPECT_EQ(page["command"], run.request.command);
  const auto& answer = page["answer"];
  EXPECT_EQ(answer["fixed"]["workload"], "lenet5");
  EXPECT_EQ(answer["varied"], (Json{"workers"}));
  EXPECT_EQ(answer["measured_utc"], "2026-01-02T03:04:05Z");
  EXPECT_EQ(answer["dataset"]["samples"], 600);
  EXPECT_EQ(answer["groups"][0]["epochs"].size(), 4u);
  EXPECT_EQ(answer["groups"][0]["epochs"][2]["repeat"], 1);
  EXPECT_EQ(answer["groups"][1]["epochs"][1]["e2e_s"], 2);
}

TEST(RunSummary, OfATuneOfSeveralBatchSizesIsPerSample) {
  StoredRun run;
  run.request.request = R"({"workload": "net"})";
  run.answer = R"({"choice": {"config": {"batch_size": 32}, "minibatch_ms": 64, "power_w": 20,
                  "sample_ms": 2}, "per": "sample"})";
  const RunSummary summary = summary_of(run);
  EXPECT_EQ(summary.workload, "net");
  EXPECT_EQ(summary.best, "2 ms per sample, 20 W");
  EXPECT_EQ(summary.choice, "batch_size 32");
}

// The mode that was set; without one, that which the board was in.
TEST(RunSummary, OfIdlePowerSaysInWhichMode) {
  StoredRun run;
  run.request.request = R"({"board": "idle power"})";
  run.answer = R"({"mode": {"gpu_mhz": 306}, "caps": {"cpu_cores": 8, "gpu_mhz": 306},
                  "power_w": 11.5})";
  EXPECT_EQ(summary_of(run).best, "11.5 W");
  EXPECT_EQ(summary_of(run).choice, "gpu_mhz 306");
  run.answer = R"({"mode": {}, "caps": {"cpu_cores": 8, "gpu_mhz": 306}, "power_w": 11.5})";
  EXPECT_EQ(summary_of(run).choice, "cpu_cores 8, gpu_mhz 306");
}

TEST(RunSummary, OfARunWithoutAnswerIsEmpty) {
  const RunSummary summary = summary_of(StoredRun());
  EXPECT_EQ(summary.best, "");
  EXPECT_EQ(summary.choice, "");
}

}  // namespace
}  // namespace flyball
