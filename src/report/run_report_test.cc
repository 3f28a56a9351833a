#include "report/run_report.h"

#include <gmock/gmock.h>

#include <set>

namespace flyball {
namespace {

StoredMeasurement trial(double cores, const std::string& total, const std::string& libraries) {
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
  const auto page = run_report(
      run, {trial(1, "module", "2.6"), trial(2, "input", "2.6"), trial(4, "module", "2.7")}, {});
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

TEST(RunSummary, OfARunWithoutAnswerIsEmpty) {
  const RunSummary summary = summary_of(StoredRun());
  EXPECT_EQ(summary.best, "");
  EXPECT_EQ(summary.choice, "");
}

}  // namespace
}  // namespace flyball
