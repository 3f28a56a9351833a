// One measurement with every field set, through everything that keeps or shows it: tune, store,
// documents, page, reopened page, export and import. None may lose or change a fact.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "answers/stored_tune.h"
#include "answers/tune_json.h"
#include "base/os/temp_folder.h"
#include "report/run_report.h"
#include "report/tune_report.h"
#include "space/trial_facts.h"
#include "store/exchange.h"
#include "store/sample_testing.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;
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
    m.clocks = {{"gpu_mhz", 305.5, 300}};
    m.device = info_.device;
    m.fingerprint = info_.fingerprint;
    m.conditions = info_.conditions;
    m.minibatch_ms = 100 - 5.0 * static_cast<double>(config);
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
    TuneRequest request;
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

// What the page calls a fact; the rest has the same name, or stands in its run.
const std::map<std::string, std::string> on_the_page = {{"noise_pct", "noise_percent"},
                                                        {"power_noise_pct", "power_noise_percent"},
                                                        {"minibatch_ms", "e2e_ms"},
                                                        {"repeat", "repeated"}};

TEST_F(Walk, ThePageSaysTheSameOfEachTrial) {
  const Json page = tune_report(result_);
  for (size_t i = 0; i < trials_.size(); ++i) {
    const Measurement& m = trials_[i].measurement;
    const Json& shown = page["profiled"][i];
    const Json facts = trial_facts(m);
    for (const auto& [key, value] : facts.items()) {
      if (std::set<std::string>{"provenance", "seed", "power_total", "power_w", "failure",
                                "figures", "stop_reason", "repeat", "origin", "span"}
              .contains(key))
        continue;
      const auto renamed = on_the_page.find(key);
      const std::string name = renamed == on_the_page.end() ? key : renamed->second;
      const Json told = shown.contains(name) ? shown[name] : Json(nullptr);
      EXPECT_EQ(value == Json::array() ? Json(nullptr) : value, told) << key;  // nothing to list
    }
    if (m.failed()) {
      EXPECT_EQ(shown["stop_reason"], "failed: out of memory");
    } else {
      EXPECT_EQ(shown["stop_reason"], m.stop_reason);
      EXPECT_EQ(shown["power_w"].is_null(), !m.power);
    }
    EXPECT_EQ(shown["figures"][1]["text"], "1 GB");
    const Json& configuration = page["configurations"][shown["configuration"].get<size_t>()];
    if (!m.failed()) {
      EXPECT_EQ(configuration["provenance"], "measured");
    }
  }
  EXPECT_EQ(page["run"]["power_total"], "module");
  EXPECT_EQ(page["choice"]["figures"][0]["text"], "0.5");
  EXPECT_EQ(
      page["request"]["asked"],
      "objective time, power ≤ 38 W, accuracy ≥ 0.25, memory ≤ 2 GB, until a gap of 25 %, for "
      "10 min 0 s");
  EXPECT_EQ(page["request"]["limits"][1]["text"], "memory ≤ 2 GB");
}

// The store has all of it: the document of the reopened run is what the command printed.
TEST_F(Walk, AReopenedRunAnswersTheSame) {
  Json printed = to_json(result_), reopened = to_json(stored_tune(run_, trials_));
  EXPECT_EQ(Json::parse(run_.answer), printed);
  for (Json* one : {&printed, &reopened})
    if (one->contains("gap_pct")) (*one)["gap_pct"] = std::round((*one)["gap_pct"].get<double>());
  for (const auto& [key, value] : printed.items()) EXPECT_EQ(reopened[key], value) << key;
  EXPECT_EQ(reopened.size(), printed.size());
}

// With the values of each configuration in place of its position.
Json by_values(Json page) {
  const auto of = [&](const Json& index) { return page["configurations"][index.get<size_t>()]; };
  // What is predicted of a configuration that failed is not kept.
  for (Json& trial : page["profiled"])
    trial["configuration"] = of(trial["configuration"])["config"];
  for (const char* one : {"choice", "default"})
    page[one]["configuration"] = of(page[one]["configuration"]);
  for (Json& index : page["front"]["configurations"]) index = of(index);
  return page;
}

TEST_F(Walk, AReopenedPageShowsTheSame) {
  const Json page = by_values(tune_report(result_));
  Json reopened = by_values(run_report(run_, trials_, {}));
  EXPECT_THAT(reopened["notes"].back()["text"].get<std::string>(), HasSubstr("from the store"));
  reopened["notes"].erase(reopened["notes"].size() - 1);
  for (const char* key : {"request", "axes", "profiled", "choice", "default", "front", "per",
                          "comparison", "reused", "notes", "machine", "run", "apply"})
    EXPECT_EQ(reopened[key], page[key]) << key;
  EXPECT_THAT(page["notes"].dump(), HasSubstr("throttled during 1 of"));
  ASSERT_EQ(page["profiled"].size(), result_.profiled.size());
  size_t unknown = 0;
  for (size_t i = 0; i < result_.profiled.size(); ++i) {
    const auto known = result_.profiled[i].measurement.interference.throttled;
    EXPECT_EQ(page["profiled"][i]["throttled"], known ? Json(*known) : Json(nullptr));
    unknown += !known;
  }
  EXPECT_GT(unknown, 0u) << "a trial in which nobody looked";
}

// A study's program set everything itself: there is no command to run it with.
TEST_F(Walk, AReopenedStudyTellsItsOwnSettings) {
  Talkative program(true);
  TuneRequest request;
  request.strategy = "brute-force";
  request.command = "flyball study";
  request.fresh = true;
  const TuneResult told = *tune(program, &store_, request);
  const Json page = run_report(*store_.run(*told.run), *store_.run_measurements(*told.run), {});
  EXPECT_THAT(page["apply"].dump(), Not(HasSubstr("flyball profile")));
  EXPECT_THAT(page["apply"].dump(), HasSubstr("Set them in your program"));
  for (const Json& axis : page["axes"])
    EXPECT_EQ(axis["scope"], axis["name"] == "gpu_mhz" ? "board" : "run") << axis;
  EXPECT_FALSE(page["notes"].back().contains("hint")) << "no command goes on with a study";
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
