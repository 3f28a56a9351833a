// One measurement with every field set, through everything that keeps or shows it: tune, store,
// documents, page, reopened page, export and import. None may lose or change a fact.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "answers/tune_json.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "report/run_report.h"
#include "report/tune_page.h"
#include "space/trial_facts.h"
#include "store/exchange.h"
#include "store/sample_testing.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A board whose every trial has something to tell: "rate" is an axis of the program's own, and
/// "cpu_cores", too, whatever boards call so.
class Talkative final : public Profiler {
 public:
  explicit Talkative(bool told = false) {
    info_.told = told;
    info_.device = "orin_agx";
    info_.device_title = "a board";
    info_.fingerprint = "board p3701; kernel 5.15; driver 540.4";
    info_.conditions = {{"dataset", "/data/imagenette"}, {"power", "module"}};
    info_.workload = "resnet18";
    info_.power_total = "module";
    info_.gaps = {"mem_mhz cannot be set: no such file"};
    info_.job = {{"batch_size", 16}};
    info_.live = true;
    Axis gpu = named_axis("gpu_mhz"), cores = named_axis("cpu_cores"), rate = named_axis("rate");
    gpu.values = {306, 612};
    cores.values = {2, 4};
    rate.values = {1, 2};
    cores.scope = rate.scope = Scope::run;
    space_ = Space::grid({rate, gpu, cores});
  }
  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return 0; }
  std::string default_reason() const override { return "as it comes"; }
  Result<Measurement> measure(size_t config) override {
    Measurement m = sample_measurement(static_cast<int>(config));
    m.trial = space_.trial(config, info_.workload, info_.phase);
    m.trial.job.settings.insert(info_.job.begin(), info_.job.end());
    m.device = info_.device;
    m.fingerprint = info_.fingerprint;
    m.conditions = info_.conditions;
    m.minibatch_ms = 100 - 5.0 * static_cast<double>(config);
    m.clocks = {{"gpu_mhz", 305.5, 300}};
    if (config != 5) m.interference.throttled = config == 1;
    if (config == 2) m.interference.by = "process 7 (flyball tune)";
    if (info_.told) m.origin = Origin::told;
    if (config == 3) m.failure = "out of memory";
    if (config == 4) {
      m.power.reset();
      m.power_gap = "the sensor did not answer";
      m.noise = unknown_noise;
    }
    return m;
  }

 private:
  ProfilerInfo info_;
  Space space_;
};

class Walk : public testing::Test {
 protected:
  Walk() : store_(*Store::open(folder_ / "store.db")) {
    Request request;
    request.strategy = "brute-force";
    request.power_budget_w = 38;
    request.limits = {{"accuracy", 0.25, false}, {"memory", 2e9, true}};
    request.gap = 0.25;
    request.time_limit_s = 600;
    request.command = "flyball tune resnet18";
    result_ = *tune(board_, &store_, request);
    run_ = *store_.run(*result_.run);
    trials_ = *store_.run_measurements(*result_.run);
  }
  TempFolder folder_;
  Store store_;
  Talkative board_;
  TuneResult result_;
  StoredRun run_;
  std::vector<StoredMeasurement> trials_;
};

TEST_F(Walk, TheStoreKeepsEveryField) {
  ASSERT_EQ(trials_.size(), result_.profiled.size());
  for (size_t i = 0; i < trials_.size(); ++i)
    EXPECT_EQ(trials_[i].measurement, result_.profiled[i].measurement) << i;
}

TEST_F(Walk, DocumentsSayTheSameOfEachTrial) {
  const Json answer = to_json(result_);
  ASSERT_EQ(answer["profiled"].size(), trials_.size());
  const Json listed = stored_run_json(run_, trials_, {})["trials"];
  for (size_t i = 0; i < trials_.size(); ++i) {
    const Json shown = listed[i], told = answer["profiled"][i];
    const Json facts = trial_facts(result_.profiled[i].measurement);
    for (const auto& [key, value] : facts.items()) {
      EXPECT_EQ(shown[key], value) << key;
      if (key != "repeat") {
        EXPECT_EQ(told[key], value) << key;
      }
    }
  }
  const Json one = listed[1];
  EXPECT_EQ(one["throttled"], true);
  EXPECT_EQ(one["figures"], (Json{{"accuracy", 0.5}, {"memory", 1e9}}));
  EXPECT_EQ(one["noise_pct"], 1.25);
  EXPECT_EQ(listed[2]["disturbed"], "process 7 (flyball tune)");
  EXPECT_TRUE(listed[4]["noise_pct"].is_null()) << "not 100 %";
  EXPECT_EQ(listed[4]["power_gap"], "the sensor did not answer");
}

// The store has all of it: the page of the reopened run shows what the command printed.
TEST_F(Walk, AReopenedPageShowsTheSame) {
  const Json printed = to_json(result_);
  EXPECT_EQ(Json::parse(run_.answer), printed);
  const Json page = tune_page(printed, result_), reopened = run_report(run_, trials_, {});
  EXPECT_EQ(page["answer"], printed);
  EXPECT_EQ(reopened["answer"], printed);
  EXPECT_EQ(reopened["command"], "flyball tune resnet18");
  EXPECT_FALSE(page["apply"].empty());
  EXPECT_EQ(reopened["apply"], page["apply"]);
  EXPECT_TRUE(reopened["configurations"].is_null()) << "predictions are not kept";
  ASSERT_EQ(page["configurations"].size(), 8u);
  EXPECT_EQ(page["configurations"][0]["config"], (Json{1, 306, 2})) << "in the order of the axes";
}

// A program of before kept less: the rest comes from the trials.
TEST_F(Walk, WhatAnEarlierProgramDidNotKeepIsSaidByItsTrials) {
  const Json printed = to_json(result_);
  Json old = Json::parse(run_.answer);
  for (const char* key : {"axes", "measured"}) old.erase(key);
  old["request"].erase("settings");
  for (Json& trial : old["profiled"])
    for (const char* key :
         {"minibatch_ms_90", "power_w_90", "clocks", "workload", "power_settled", "origin", "span"})
      trial.erase(key);
  StoredRun before = run_;
  before.answer = old.dump();
  const Json answer = run_report(before, trials_, {})["answer"];
  EXPECT_EQ(SortedJson(answer), SortedJson(printed));
}

// A study's program set everything itself: there is no command to run it with.
TEST_F(Walk, AReopenedStudyTellsItsOwnSettings) {
  Talkative program(true);
  Request request;
  request.strategy = "brute-force";
  request.command = "flyball study";
  request.fresh = true;
  const TuneResult told = *tune(program, &store_, request);
  const Json page = run_report(*store_.run(*told.run), *store_.run_measurements(*told.run), {});
  EXPECT_THAT(page["apply"].dump(), Not(HasSubstr("flyball profile")));
  EXPECT_THAT(page["apply"].dump(), HasSubstr("Set them in your program"));
  for (const Json& axis : page["answer"]["axes"])
    EXPECT_EQ(axis["scope"], axis["name"] == "gpu_mhz" ? "board" : "run") << axis;
}

// A table has columns for time, power, what power is and how it is known.
TEST_F(Walk, ExportAndImportKeepWhatATableHolds) {
  std::vector<StoredMeasurement> whole;
  for (const StoredMeasurement& stored : trials_)
    if (!stored.measurement.failed()) whole.push_back(stored);
  const auto csv = parse_csv(format_table(tables_of(whole)), "walk.csv");
  ASSERT_TRUE(csv.ok()) << csv.error().message;
  const auto table = parse_table(*csv);
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->workloads.size(), 1u);
  const auto imported = measurements_of(table->workloads[0], "walk.csv", "2026-03-01T12:30:05Z");
  ASSERT_EQ(imported.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    const Measurement &from = whole[i].measurement, &to = imported[i];
    EXPECT_EQ(all_settings(to.trial), all_settings(from.trial));
    EXPECT_EQ(to.trial.job.workload, from.trial.job.workload);
    EXPECT_EQ(to.minibatch_ms, from.minibatch_ms);
    EXPECT_EQ(to.power_w(), from.power_w());
    EXPECT_EQ(to.provenance, from.provenance);
    if (from.power) {
      EXPECT_EQ(to.power->total, from.power->total);
    }
  }
}

}  // namespace
}  // namespace flyball
