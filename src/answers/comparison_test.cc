// When a difference counts, in which unit it is told, and in which words.
#include "answers/comparison.h"

#include <gmock/gmock.h>

#include <cmath>

#include "answers/per_text.h"
#include "answers/repeats.h"
#include "base/json.h"
#include "base/statistics.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Given {
  double ms = 0, noise = 0.01;
  double watts = NAN;
  double others = 0;
  std::string by = "";  ///< who measured at the same time
  bool throttled = false;
};

Measurement reading(const Given& given) {
  Measurement m;
  m.minibatch_ms = given.ms;
  m.noise = given.noise;
  m.interference.cores = given.others;
  m.interference.throttled = given.throttled;
  m.interference.by = given.by;
  if (!std::isnan(given.watts)) {
    m.power.emplace();
    m.power->mean_w = given.watts;
    m.power->noise = 0.01;
  }
  return m;
}

/// Configuration 0 (batch 8) is the default, configuration 1 (batch 16) the choice.
class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() {
    result_.space = Space(std::vector{named_axis("batch_size")});
    result_.space.add(std::array{8.0});
    result_.space.add(std::array{16.0});
    result_.choice = 1;
    result_.workloads.emplace_back().live = true;
  }
  Comparison compare(const std::vector<Given>& usual, const std::vector<Given>& chosen) {
    result_.profiled.clear();
    for (const Given& given : usual) tell(0, given);
    for (const Given& given : chosen) tell(1, given);
    result_.configurations = {pooled(result_.readings(0)), pooled(result_.readings(1))};
    return *compare_with_default(result_);
  }
  void tell(size_t config, const Given& given) {
    Observation trial;
    trial.config = config;
    trial.measurement = reading(given);
    result_.profiled.push_back(std::move(trial));
  }
  TuneResult result_;
};

TEST_F(ComparisonTest, ADifferenceBeyondTheNoiseIsEstablished) {
  const Comparison found = compare({{.ms = 10}}, {{.ms = 8}});
  EXPECT_TRUE(found.established);
  EXPECT_EQ(found.text, "20.0 % less time per minibatch than the default");
  EXPECT_NEAR(found.time.pct, -20, 1e-9);
  EXPECT_TRUE(std::isnan(found.power.pct));
}

// Requests of a server overlap: its latency times the power is the energy of none.
TEST_F(ComparisonTest, ALatencyIsToldByItsNameAndIsNoEnergy) {
  auto& conditions = result_.workloads.back().conditions;
  conditions[counted_condition] = "request";
  conditions[figure_condition] = "ttft";
  Comparison found = compare({{.ms = 10, .watts = 20}}, {{.ms = 8, .watts = 25}});
  EXPECT_EQ(found.text, "20.0 % less ttft, 25.0 % more power than the default");
  EXPECT_TRUE(std::isnan(found.energy.pct));
  EXPECT_EQ(describe(result_), "objective ttft");
  conditions[figure_condition] = "energy";
  result_.request.objective = Objective::energy;
  found = compare({{.ms = 10, .watts = 20}}, {{.ms = 8, .watts = 20}});
  EXPECT_EQ(found.text,
            "20.0 % less time per request, the same power, 20.0 % less energy per request than the "
            "default");
  EXPECT_EQ(describe(result_), "objective energy");
}

TEST_F(ComparisonTest, WhereBatchSizesVaryItIsTheSampleThatCounts) {
  result_.per = Per::sample;
  const Comparison found = compare({{.ms = 10, .watts = 20}}, {{.ms = 15, .watts = 24}});
  EXPECT_TRUE(found.established);
  EXPECT_NEAR(found.time.pct, -25, 1e-9);
  EXPECT_NEAR(found.energy.pct, -10, 1e-9);
  EXPECT_EQ(found.text,
            "25.0 % less time per sample, 20.0 % more power, 10.0 % less energy per sample than "
            "the default");
}

// An unknown load is no quiet machine; a table, and a program that tells, vouch for their figures.
TEST_F(ComparisonTest, ALoadThatIsNotKnownIsADoubt) {
  compare({{.ms = 10}}, {{.ms = 8}});
  const auto compare_again = [&](Origin origin) {
    for (Observation& trial : result_.profiled) {
      trial.measurement.interference.cores.reset();
      trial.measurement.origin = origin;
    }
    return *compare_with_default(result_);
  };
  EXPECT_THAT(compare_again(Origin::live).doubt, HasSubstr("not known of the default"));
  EXPECT_TRUE(compare_again(Origin::told).established);
  EXPECT_TRUE(compare_again(Origin::table).established);
}

TEST_F(ComparisonTest, WhatNoiseExplainsIsNoDifference) {
  const Comparison found = compare({{.ms = 10, .noise = 0.2}}, {{.ms = 8, .noise = 0.2}});
  EXPECT_FALSE(found.established);
  EXPECT_THAT(found.text, HasSubstr("not established"));
  EXPECT_THAT(found.text, HasSubstr("intervals overlap"));
}

// 95.8 % less than a default that was read while a package was being installed.
TEST_F(ComparisonTest, ADefaultReadTwiceAndUnlikeExplainsAnything) {
  const Comparison found = compare({{.ms = 24}, {.ms = 1.01}}, {{.ms = 1}, {.ms = 1}});
  EXPECT_FALSE(found.established);
  // A third reading tells which of the two was disturbed.
  const Comparison third = compare({{.ms = 24}, {.ms = 1.5}, {.ms = 1.52}}, {{.ms = 1}, {.ms = 1}});
  EXPECT_TRUE(third.established);
  EXPECT_NEAR(third.time.pct, 100 * (1 / 1.52 - 1), 1e-6);
}

TEST_F(ComparisonTest, ADefaultThatOnceWasAsFastIsNotBeaten) {
  const Comparison found =
      compare({{.ms = 1.17}, {.ms = 1.6}, {.ms = 1.55}}, {{.ms = 1.2}, {.ms = 1.21}});
  EXPECT_FALSE(found.established) << found.text;
}

TEST_F(ComparisonTest, ABusyMachineExplainsWhatItCouldHaveTaken) {
  const Comparison busy = compare({{.ms = 10, .others = 0.8}}, {{.ms = 8}});
  EXPECT_FALSE(busy.established);
  EXPECT_THAT(busy.text, HasSubstr("0.8 cores busy"));
  EXPECT_TRUE(compare({{.ms = 10, .others = 0.15}}, {{.ms = 5}}).established);
  EXPECT_FALSE(compare({{.ms = 10, .others = 0.15}}, {{.ms = 9}}).established);
  // However large it is: threads that share cores with others wait for each other.
  EXPECT_FALSE(compare({{.ms = 394, .others = 1.9}}, {{.ms = 20, .others = 1.9}}).established);
  // A choice that was better all the same can only be better still.
  EXPECT_TRUE(compare({{.ms = 394}}, {{.ms = 20, .others = 1.9}}).established);
  // One quiet reading of each is enough.
  EXPECT_TRUE(
      compare({{.ms = 10, .others = 0.8}, {.ms = 10.1}}, {{.ms = 8}, {.ms = 8}}).established);
  // Power is not the workload's alone.
  const Comparison powered =
      compare({{.ms = 10, .watts = 20, .others = 0.2}}, {{.ms = 2, .watts = 10}});
  EXPECT_TRUE(powered.time.established);
  EXPECT_FALSE(powered.power.established);
  EXPECT_EQ(powered.text,
            "80.0 % less time per minibatch than the default; of power and energy no difference is "
            "established");
}

TEST_F(ComparisonTest, ADisturbedTrialEstablishesNothing) {
  const Given alone{.ms = 10}, disturbed{.ms = 10, .by = "process 12 (flyball tune lenet5)"};
  EXPECT_TRUE(compare({alone}, {{.ms = 5}}).established);
  const Comparison found = compare({disturbed}, {{.ms = 5}});
  EXPECT_FALSE(found.established);
  EXPECT_THAT(found.text, HasSubstr("another flyball measured"));
  EXPECT_TRUE(compare({disturbed, alone}, {{.ms = 5}}).established);
}

TEST_F(ComparisonTest, ADefaultThatThrottledIsNotBeaten) {
  const Comparison found = compare({{.ms = 10, .throttled = true}}, {{.ms = 5}});
  EXPECT_FALSE(found.established);
  EXPECT_THAT(found.text, HasSubstr("throttled in the default"));
}

TEST_F(ComparisonTest, ARunIsNoMinibatchAndOneOfThemHasNoSpread) {
  result_.per = Per::run;
  const Given once{.ms = 2000, .noise = unknown_noise}, twice{.ms = 2010, .noise = unknown_noise};
  const Given other{.ms = 1000, .noise = unknown_noise}, again{.ms = 1004, .noise = unknown_noise};
  EXPECT_FALSE(compare({once}, {other}).established);
  EXPECT_TRUE(std::isnan(result_.configurations[0].time_lo));
  const Comparison found = compare({once, twice}, {other, again});
  EXPECT_EQ(found.text, "50.0 % less time per run than the default");
}

TEST_F(ComparisonTest, TheDefaultItselfIsNoGain) {
  result_.choice = 0;
  const Comparison found = compare({{.ms = 10}}, {{.ms = 12}});
  EXPECT_FALSE(found.established);
  EXPECT_EQ(found.text, "the default is already the best found");
}

TEST_F(ComparisonTest, ADefaultThatWasNotMeasuredIsNoYardstick) {
  (void)compare({{.ms = 10}}, {{.ms = 8}});
  result_.configurations[0].provenance = Provenance::predicted;
  EXPECT_THAT(compare_with_default(result_)->doubt, HasSubstr("not measured"));
}

TEST_F(ComparisonTest, TheGapToTheOracleIsSaid) {
  (void)compare({{.ms = 10}}, {{.ms = 8.1}});
  result_.oracle = Oracle{TableRow{0, 8, NAN}, TableRow{1, 8.1, NAN}, {}};
  EXPECT_NEAR(gap_pct(result_, result_.oracle->raw), 1.25, 1e-9);
  EXPECT_EQ(oracle_text(result_),
            "1.2 % more time than the raw optimum, the same time as the robust one");
}

TEST_F(ComparisonTest, IntervalsCoverAllReadingsAndNeverGoBelowZero) {
  const auto pool = [](const std::vector<Measurement>& all) {
    std::vector<const Measurement*> pointers;
    for (const Measurement& m : all) pointers.push_back(&m);
    return pooled(pointers);
  };
  const Configuration two = pool({reading({.ms = 1.4}), reading({.ms = 1.9})});
  EXPECT_LE(two.time_lo, 1.4);
  EXPECT_GE(two.time_hi, 1.9);
  const Configuration wild = pool({reading({.ms = 1551, .noise = 0.9})});
  EXPECT_GT(wild.time_lo, 0);
  const Configuration apart =
      pool({reading({.ms = 1}), reading({.ms = 1.3}), reading({.ms = 1.7})});
  EXPECT_GT(apart.time_lo, 0);
  EXPECT_LE(apart.time_lo, 1);
  EXPECT_GE(apart.time_hi, 1.7);
  const Configuration exact = pool({reading({.ms = 5, .noise = 0})});
  EXPECT_EQ(exact.time_lo, 5);
  EXPECT_EQ(exact.time_hi, 5);
}

/// The default (configuration 0) and the choice (1) beside a preset (2).
class PresetComparisonTest : public ComparisonTest {
 protected:
  PresetComparisonTest() {
    result_.space = Space(std::vector{named_axis("gpu_mhz")});
    for (const double mhz : {1300.0, 900.0, 600.0}) result_.space.add(std::array{mhz});
    result_.workloads.front().default_is_highest = true;
  }
  PresetAnswer& add_preset(const std::string& name, size_t config, double watts) {
    PresetAnswer& preset = result_.presets.emplace_back();
    preset.name = name;
    preset.choice = {config};
    preset.settings = result_.space.settings(config);
    preset.power_w = watts;
    preset.provenance = Provenance::simulated;
    preset.outcome = {.loss = watts, .feasible = true};
    preset.is_default = config == 0;
    return preset;
  }
  std::string headline(double usual_ms, double chosen_ms, double preset_ms) {
    result_.profiled.clear();
    tell(0, {.ms = usual_ms, .watts = 40});
    tell(1, {.ms = chosen_ms, .watts = 29.5});
    tell(2, {.ms = preset_ms, .watts = 20});
    result_.configurations = {pooled(result_.readings(0)), pooled(result_.readings(1)),
                              pooled(result_.readings(2))};
    compare_with_presets(result_);
    return compare_with_default(result_)->text;
  }
};

TEST_F(PresetComparisonTest, WhatBreaksALimitIsSaidAndTheBestPresetIsTheMeasure) {
  result_.default_breaks = {{Constraint::power, "power budget (40 W)"}};
  add_preset("MAXN", 0, 40).breaks = result_.default_breaks;
  add_preset("30W", 2, 20).in_force = true;
  EXPECT_EQ(
      headline(50, 60, 114),
      "MAXN breaks the power budget (40 W); 1.9x faster than preset 30W (in force) within the "
      "limits, at 29.5 W");
  EXPECT_EQ(result_.presets[0].text, "preset MAXN breaks the power budget (40 W)");
  EXPECT_EQ(result_.presets[1].text, "1.9x faster than preset 30W (in force) at 29.5 W");
  EXPECT_EQ(headline(50, 60, 81),
            "MAXN breaks the power budget (40 W); 35.0 % faster than preset 30W (in force) within "
            "the limits, at 29.5 W");
}

// The highest clock of those that are open need not be the board's.
TEST_F(PresetComparisonTest, ANarrowedDefaultIsNotMaxn) {
  result_.workloads.front().default_is_highest = false;
  result_.default_breaks = {{Constraint::power, "power budget (40 W)"}};
  EXPECT_THAT(headline(50, 60, 114),
              testing::StartsWith("the default breaks the power budget (40 W)"));
}

TEST_F(PresetComparisonTest, WherePowerIsComparedItIsNotSaidAgain) {
  result_.request.objective = Objective::power;
  result_.default_breaks = {{Constraint::time, "time budget (90 ms)"}};
  add_preset("30W", 2, 20).in_force = true;
  EXPECT_EQ(headline(90, 60, 60),
            "MAXN breaks the time budget (90 ms); 47.5 % more power than preset 30W (in force) "
            "within the limits");
}

TEST_F(PresetComparisonTest, ADefaultThatKeepsTheLimitsIsComparedWithFirst) {
  add_preset("30W", 2, 20).in_force = true;
  EXPECT_EQ(headline(80, 60, 84),
            "25.0 % less time per minibatch, 26.2 % less power, 44.7 % less energy per minibatch "
            "than the default; 40.0 % faster than preset 30W (in force) at 29.5 W");
}

// 20729.5 % more is no figure that anybody reads.
TEST_F(PresetComparisonTest, ManyTimesAsMuchIsToldByTheFactor) {
  add_preset("30W", 2, 20).in_force = true;
  EXPECT_EQ(headline(1, 208.3, 84),
            "208 times as much time per minibatch, 26.2 % less power, 154 times as much energy per "
            "minibatch as the default; 148.0 % more time than preset 30W (in force) at 29.5 W");
}

/// A training beside a service: candidate 1 of each is the answer, candidate 0 the preset.
class PlanComparison : public ::testing::Test {
 protected:
  PlanComparison() {
    Space modes(std::vector{named_axis("gpu_mhz")});
    for (const double mhz : {1300.0, 900.0}) modes.add(std::array{mhz});
    auto problem = std::make_shared<Problem>();
    problem->candidates = std::make_shared<Candidates>(*Candidates::link({modes, modes}));
    problem->objective = Objective::throughput;
    problem->roles = {{.workload = "net"},
                      {.workload = "det", .phase = Phase::infer, .rate_hz = 10}};
    plan_.problem = problem;
  }
  /// Minibatches (ms) of the training in the answer and in the preset; the service takes 1 ms.
  std::string text(std::vector<double> mine, std::vector<double> theirs) {
    plan_.profiled.clear();
    for (const double ms : mine) tell(0, 1, ms);
    for (const double ms : theirs) tell(0, 0, ms);
    for (const size_t candidate : {0, 1}) tell(1, candidate, 1);
    const auto amounts = [&](size_t candidate, double ms) {
      const Reading readings[] = {{ms, 29.5}, {1, 29.5}};
      return outcome(*plan_.problem, readings, std::array{candidate, candidate});
    };
    plan_.answer = Answer{.choice = {1, 1}, .outcome = amounts(1, median(mine))};
    plan_.chosen.power_w = 29.5;
    PresetAnswer& preset = plan_.presets.emplace_back();
    preset.name = "MAXN";
    preset.choice = {0, 0};
    preset.provenance = Provenance::simulated;
    preset.outcome = amounts(0, theirs.empty() ? 19 : median(theirs));
    compare_with_presets(plan_);
    return plan_.presets.back().text;
  }
  void tell(size_t role, size_t candidate, double ms) {
    Observation trial;
    trial.role = role;
    trial.candidate = candidate;
    trial.measurement = reading({.ms = ms, .noise = noise_, .watts = 29.5});
    plan_.profiled.push_back(trial);
  }
  Plan plan_;
  double noise_ = 0.01;
};

TEST_F(PlanComparison, TheSameTrainingIsTheSameAsThatOfAPreset) {
  EXPECT_EQ(text({10, 10}, {10, 10}), "the same training as preset MAXN at 29.5 W");
  EXPECT_EQ(text({10, 10}, {19, 19}), "80.0 % more training than preset MAXN at 29.5 W");
}

TEST_F(PlanComparison, ASpreadThatIsNotKnownEstablishesNothing) {
  noise_ = unknown_noise;
  EXPECT_THAT(text({10}, {19}), HasSubstr("one reading, or equal ones, have no known spread"));
  EXPECT_THAT(text({10, 10}, {19, 19}),
              HasSubstr("one reading, or equal ones, have no known spread"));
}

TEST_F(PlanComparison, WhereATrainingMayNotFitTheReasonIsTheInterval) {
  EXPECT_THAT(text({90, 108}, {45, 46}), HasSubstr("less training than"));
}

TEST_F(PlanComparison, WhatNoiseExplainsIsNoDifference) {
  EXPECT_EQ(text({10, 11}, {10.6, 11.8}),
            "difference from preset MAXN not established: 12.5 % more training was read, but the "
            "90 % intervals overlap");
  plan_.profiled.clear();
  EXPECT_THAT(text({10, 10}, {}), HasSubstr("preset MAXN was not measured"));
  plan_.request.strategy = "exact";  // reads whole tables, which are taken at their word
  EXPECT_THAT(text({10, 10}, {19, 19}), HasSubstr("80.0 % more training than preset MAXN"));
}

// A power that no sensor told keeps no budget, and breaks none.
TEST_F(PresetComparisonTest, WhatIsNotKnownToKeepALimitIsSaidSoAndWillNotDo) {
  const BrokenLimit unknown{Constraint::power, "power budget", true};
  EXPECT_EQ(breaks_text("MAXN", {unknown}), "MAXN is not known to keep the power budget");
  EXPECT_EQ(breaks_text("MAXN", {unknown, {Constraint::time, "time budget"}}),
            "MAXN breaks the time budget");
  PresetAnswer& preset = add_preset("30W", 2, 20);
  EXPECT_TRUE(preset.will_do());
  preset.breaks = {unknown};
  EXPECT_FALSE(preset.will_do());
  EXPECT_TRUE(to_json(preset)["breaks"].empty());
}

TEST_F(PresetComparisonTest, WithoutAPresetThatDoesThatIsSaid) {
  result_.default_breaks = {{Constraint::power, "power budget (40 W)"}};
  add_preset("30W", 2, 20).breaks = {{Constraint::time, "time budget"}};
  EXPECT_THAT(headline(60, 60.1, 90),
              testing::StartsWith(
                  "MAXN breaks the power budget (40 W); no preset is known to keep the limits"));
  result_.presets.clear();
  EXPECT_EQ(headline(60, 60.1, 90), "MAXN breaks the power budget (40 W)");
}

}  // namespace
}  // namespace flyball
