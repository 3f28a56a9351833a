// Fits, kept roofs, bindings and verdicts on boards whose constants are known.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/os/temp_folder.h"
#include "base/random.h"
#include "profile/trials/device_script_testing.h"
#include "roofs/known_layers.h"
#include "roofs/microbench/measure.h"
#include "roofs/roofline_answer.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::optional<LayerTotals> totals_of(const std::string& workload, Phase phase, double batch) {
  const auto layers =
      known_layers(tabled_network(workload, phase), phase, batch, CountRules::pagoda);
  if (!layers) return {};
  return layers->totals();
}

TEST(TimeBounds, RecoversThreeBoundsThatEachBindSamples) {
  const TimeBounds truth{2e-12, 1e-11, 5e-3};
  std::vector<BoundSample> samples;
  for (const double intensity : {0.5, 2.0, 20.0, 60.0})
    for (const double bytes : {1e7, 1e9, 8e9})
      samples.push_back({intensity * bytes, bytes, truth.at(intensity * bytes, bytes)});
  const TimeBounds fitted = fit_time_bounds(samples);
  EXPECT_NEAR(fitted.tau_flop / truth.tau_flop, 1, 1e-9);
  EXPECT_NEAR(fitted.tau_mem / truth.tau_mem, 1, 1e-9);
  EXPECT_NEAR(fitted.tau_launch / truth.tau_launch, 1, 1e-9);
}

TEST(TimeBounds, ABoundThatBindsNothingIsNone) {
  const std::vector<BoundSample> samples = {{1e9, 1e8, 1e-3}, {4e9, 1e8, 4e-3}, {9e9, 1e8, 9e-3}};
  const TimeBounds fitted = fit_time_bounds(samples);
  EXPECT_NEAR(fitted.tau_flop, 1e-12, 1e-20);
  EXPECT_EQ(fitted.tau_mem, 0);
  EXPECT_EQ(fitted.tau_launch, 0);
}

std::vector<RoofSample> noisy_sweep(uint64_t seed) {
  Random random(seed);
  std::vector<RoofSample> samples;
  for (int i = 0; i < 12; ++i) {
    const double bytes = 1e8, flop = bytes * std::pow(2.0, i - 3);
    const double seconds = std::max(flop * 2e-12, bytes * 1e-11);
    const double joules = flop * 4e-12 + bytes * 3e-11 + 9 * seconds;
    samples.push_back({flop, bytes, seconds, joules * (1 + 0.02 * random.normal())});
  }
  return samples;
}

// Of 200 noisy sweeps, the 90 % intervals of each constant hold the truth in most.
TEST(EnergyConstants, IntervalsHoldTheTruthAsOftenAsTheySay) {
  int flop = 0, mem = 0, pi0 = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto fit = fit_energy(noisy_sweep(seed));
    ASSERT_TRUE(fit.has_value());
    const auto holds = [](const Estimate& b, double truth) {
      return b.low <= truth && truth <= b.high;
    };
    flop += holds(fit->eps_flop, 4e-12);
    mem += holds(fit->eps_mem, 3e-11);
    pi0 += holds(fit->pi0, 9);
    EXPECT_GE(fit->eps_mem.low, 0);
    EXPECT_LT(fit->error_pct, 4);
  }
  for (const int held : {flop, mem, pi0}) {
    EXPECT_GE(held, 168);
    EXPECT_LE(held, 198);
  }
}

TEST(EnergyConstants, FewSamplesOrSamplesOfOneKindGiveNone) {
  const auto samples = noisy_sweep(1);
  EXPECT_FALSE(fit_energy(std::span(samples).first(5)).has_value());
  const std::vector<RoofSample> alike(8, samples[0]);
  EXPECT_FALSE(fit_energy(alike).has_value());
}

// Of each mode a rate, bandwidth and energies that grow with the clock.
WorkloadTable board_table(const std::string& workload,
                          const std::vector<double>& clocks = {900, 1050, 1200}) {
  WorkloadTable table;
  table.device = "known";
  table.workload = workload;
  table.phase = Phase::infer;
  table.power_total = "module";
  table.space = Space({named_axis("batch_size"), named_axis("gpu_mhz")});
  for (const double batch : {1.0, 8.0, 64.0})
    for (const double gpu : clocks) {
      const auto work = totals_of(workload, Phase::infer, batch);
      const double seconds =
          std::max({work->flop / (2e9 * gpu), work->bytes / (1e8 * gpu), 2 / gpu});
      const double joules =
          work->flop * 1e-15 * gpu + work->bytes * 3e-11 + (2 + 1e-5 * gpu * gpu) * seconds;
      table.add(std::array<double, 2>{batch, gpu}, 1e3 * seconds, joules / seconds);
    }
  return table;
}

RooflineAnswer known_answer() {
  const std::vector<WorkloadTable> tables = {board_table("resnet50"), board_table("mobilenet_v3"),
                                             board_table("lstm")};
  return *roofline_of_tables({.rules = CountRules::pagoda}, tables);
}

TEST(Roofs, TablesOfABoardTellItsConstants) {
  const RooflineAnswer answer = known_answer();
  ASSERT_EQ(answer.roofs.modes.size(), 3U);
  const ModeRoofs* highest = answer.roofs.highest();
  ASSERT_NE(highest, nullptr);
  EXPECT_EQ(highest->mode.values.at("gpu_mhz"), 1200);
  EXPECT_NEAR(highest->flop_per_s / 2.4e12, 1, 0.01);
  EXPECT_NEAR(highest->bytes_per_s / 1.2e11, 1, 0.01);
  EXPECT_NEAR(highest->launch_s, 2 / 1200.0, 1e-6);
  ASSERT_TRUE(highest->energy.has_value());
  EXPECT_NEAR(highest->energy->pi0.value, 16.4, 0.5);
  EXPECT_EQ(answer.roofs.provenance, Provenance::table);
}

TEST(Roofs, CasesSayWhatTheBestModeSaves) {
  const RooflineAnswer answer = known_answer();
  ASSERT_EQ(answer.cases.size(), 9U);
  for (const EnergyCase& one : answer.cases) {
    EXPECT_EQ(one.highest.mode.at("gpu_mhz"), 1200);
    EXPECT_LT(one.least.mode.at("gpu_mhz"), 1200) << one.workload << one.batch_size;
    EXPECT_GT(one.saving(), 0);
    EXPECT_GT(one.slowdown(), 1);
    EXPECT_EQ(one.doubt(), "");
  }
  ASSERT_FALSE(answer.verdicts.empty());
  EXPECT_THAT(answer.verdicts[0], AllOf(HasSubstr("none of 9 cases"), HasSubstr("below it")));
}

TEST(Roofs, ABatchSizeThatNoTableHoldsIsRefused) {
  const std::vector<WorkloadTable> tables = {board_table("resnet50"), board_table("mobilenet_v3"),
                                             board_table("lstm")};
  const auto refused = roofline_of_tables({.batches = {8, 2}}, tables);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("no table holds batch size 2"));
  EXPECT_EQ(refused.error().hint, "they hold: 1, 8, 64");
  const auto known = roofline_of_tables({.batches = {8}}, tables);
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(known->cases.size(), 3U);
}

// Of a board that is as its roofs say; what they name knows nothing of the network's own table.
TEST(Roofs, AreJudgedAsATunerByTablesOfOtherNetworks) {
  const RooflineAnswer answer = known_answer();
  ASSERT_EQ(answer.choices.size(), answer.cases.size());
  for (const auto& choice : answer.choices) {
    ASSERT_TRUE(choice && choice->thriftiest);
    EXPECT_EQ(choice->modes, 3U);
    EXPECT_EQ(choice->fastest.mode.at("gpu_mhz"), 1200);
    EXPECT_EQ(choice->time_excess, 0);
    EXPECT_GE(choice->energy_excess, 0);
    EXPECT_LT(choice->energy_excess, 0.05);
  }
  EXPECT_THAT(answer.verdicts, testing::Contains(HasSubstr("As a tuner")));

  std::vector<WorkloadTable> tables = {board_table("resnet50"), board_table("mobilenet_v3"),
                                       board_table("lstm")};
  for (size_t i = 0; i < tables[0].size(); ++i)  // the lower the clock, the faster
    tables[0].minibatch_ms[i] = tables[0].space.row(i)[1];
  const RooflineAnswer odd = *roofline_of_tables({.rules = CountRules::pagoda}, tables);
  size_t asked = 0;
  for (size_t i = 0; i < odd.cases.size(); ++i)
    if (odd.cases[i].workload == "resnet50") {
      ++asked;
      EXPECT_EQ(odd.choices[i]->fastest.mode, answer.choices[i]->fastest.mode);
      EXPECT_NEAR(odd.choices[i]->time_excess, 1200.0 / 900 - 1, 1e-12);
    }
  EXPECT_EQ(asked, 3u);
}

TEST(Roofs, OfOneNetworkAloneNameNothing) {
  const std::vector<WorkloadTable> tables = {board_table("resnet50")};
  const RooflineAnswer answer = *roofline_of_tables({.rules = CountRules::pagoda}, tables);
  EXPECT_EQ(answer.choices.size(), answer.cases.size());
  EXPECT_FALSE(answer.cases.empty());
  EXPECT_FALSE(answer.verdicts.empty());
  for (const auto& choice : answer.choices) EXPECT_FALSE(choice);
  EXPECT_THAT(answer.verdicts, testing::Each(testing::Not(HasSubstr("As a tuner"))));
}

TEST(Roofs, ADoubtfulReadingIsLeftOutOfTheVerdicts) {
  WorkloadTable table = board_table("resnet50", {600, 750, 900, 1050, 1200});
  table.power_w[9] *= 0.3;  // batch 8, the highest mode
  const auto cases = energy_cases(table);
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_NE(cases[1].doubt(), "");
  EXPECT_EQ(cases[0].doubt(), "");
  const auto words = verdicts(cases, {});
  EXPECT_THAT(words[0], HasSubstr("of 2 cases"));
  EXPECT_THAT(words.back(), HasSubstr("Left out as doubtful: resnet50 infer batch 8,"));
}

TEST(Roofs, ADoubtfulReadingIsNotTheBestOfThoseAboutAsFast) {
  WorkloadTable table = board_table("resnet50", {600, 750, 900, 1050, 1150, 1200});
  table.power_w[10] *= 0.3;  // batch 8, 1150 MHz
  const EnergyCase one = energy_cases(table)[1];
  EXPECT_TRUE(one.least.doubted);
  EXPECT_EQ(one.least.mode.at("gpu_mhz"), 1150);
  EXPECT_EQ(one.near.mode.at("gpu_mhz"), 1200);
}

TEST(Roofs, TimeEfficientIsEnergyEfficientWhereTheEnergyBalanceIsLower) {
  BoardRoofs roofs;
  ModeRoofs mode{.mode = {}, .flop_per_s = 1e12, .bytes_per_s = 1e11};  // time balance 10 FLOP/B
  mode.energy = EnergyConstants{{1e-12}, {4e-11}, {1}};  // energy balance 4e-11 / 2e-12 = 20
  roofs.modes.push_back(mode);
  mode.energy->pi0.value = 9;  // 4e-11 / 1e-11 = 4
  roofs.modes.push_back(mode);
  const BalanceVerdict verdict = balance_verdict(roofs);
  EXPECT_EQ(verdict.modes, 2U);
  EXPECT_EQ(verdict.holds, 1U);
  EXPECT_NEAR(verdict.energy_low, 4, 1e-9);
  EXPECT_NEAR(verdict.energy_high, 20, 1e-9);
  EXPECT_NEAR(verdict.time_high, 10, 1e-9);
}

TEST(Bindings, EachLayerIsBoundByTheRoofItTakesLongestUnder) {
  const auto layer = [](const char* name, double flop, double bytes, double kernels) {
    Layer one{.name = name, .op = "op"};
    one.flop = flop;
    one.bytes = bytes;
    one.kernels = kernels;
    return one;
  };
  const LayerTable table{
      "net",
      Phase::infer,
      1,
      CountRules::exact,
      {layer("heavy", 4e9, 1e6, 1), layer("wide", 1e6, 2e8, 1), layer("tiny", 10, 10, 5)}};
  ModeRoofs roofs{.mode = {}, .flop_per_s = 1e12, .bytes_per_s = 1e11, .launch_s = 1e-4};
  roofs.energy = EnergyConstants{{1e-12}, {1e-11}, {10}};
  BoundWorkload bound = bind_layers(table, roofs, Provenance::measured);
  ASSERT_EQ(bound.layers.size(), 3U);
  EXPECT_EQ(bound.layers[0].layer.name, "heavy");
  EXPECT_EQ(bound.layers[0].binds, Binding::compute);
  EXPECT_EQ(bound.layers[1].binds, Binding::memory);
  EXPECT_EQ(bound.layers[2].binds, Binding::launch);
  EXPECT_NEAR(bound.roof_s, 4e-3 + 2e-3 + 5e-4, 1e-12);
  EXPECT_NEAR(bound.share(Binding::memory), 2 / 6.5, 1e-9);
  EXPECT_EQ(bound.share(Binding::loader), 0);
  EXPECT_NEAR(bound.energy_j, 4.001e9 * 1e-12 + 2.01e8 * 1e-11 + 10 * bound.roof_s, 1e-4);
  bound.measured_s = 13e-3;
  bound.stall_s = 2.6e-3;
  EXPECT_NEAR(bound.share(Binding::loader), 0.2, 1e-9);
  EXPECT_NEAR(bound.share(Binding::compute), 4 / 13.0, 1e-9);
}

// On a board that is as its roofs say: what was fitted is what is shown.
TEST(Bindings, LayersShareWhatWasFittedToWholeMinibatches) {
  const RooflineAnswer answer = known_answer();
  ASSERT_FALSE(answer.bound.empty());
  for (const BoundWorkload& one : answer.bound) {
    SCOPED_TRACE(one.workload + std::to_string(one.batch_size));
    EXPECT_NEAR(one.roof_s / one.measured_s, 1, 0.02);
    EXPECT_NEAR(one.energy_j / (one.power_w * one.measured_s), 1, 0.1);
    EXPECT_GT(one.layers.size(), 1u);
    double layers = 0, joules = 0;
    for (const BoundLayer& layer : one.layers) {
      layers += layer.time_s;
      joules += layer.energy_j;
    }
    EXPECT_NEAR(layers, one.roof_s, 1e-9 * layers);
    EXPECT_NEAR(joules, one.energy_j, 1e-9 * joules);
  }
}

TEST(Roofs, WhatIsKeptComesBack) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  BoardRoofs roofs{.device = "host", .title = "a CPU", .fingerprint = "f"};
  roofs.power_gap = "no sensor";
  roofs.measured_utc = "2026-03-01T12:30:05Z";
  ModeRoofs mode{.mode = {{{"cpu_cores", 2}}},
                 .threads = 2,
                 .flop_per_s = 5e11,
                 .bytes_per_s = 3e10,
                 .launch_s = 4e-6};
  mode.peaks = {{"avx2", "fp32", 256, {5e11, 4e11, 3e11, 4.5e11, 12}}};
  mode.streams = {{"triad", 3e8, {3e10, 2e10, 1e10, 2.5e10, 10}}};
  mode.sweep = {{0.25, {8e9, 7e9, 6e9, 8e9, 9}}};
  mode.energy = EnergyConstants{{1e-12, 0, 2e-12}, {3e-11, 2e-11, 4e-11}, {5, 4, 6}, 9, 1.5};
  roofs.modes = {mode};
  const auto run = keep_roofs(store, roofs, "flyball roofline measure");
  ASSERT_TRUE(run.ok());
  const auto found = stored_roofs(store, "host", "f", {});
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->run, *run);
  EXPECT_EQ(roofs_json((*found)->roofs), roofs_json(roofs));
  ASSERT_TRUE(make_collected(store.path(), "hostB").ok());
  EXPECT_FALSE((*stored_roofs(store, "host", "f", {})).has_value()) << "another board's";
  ASSERT_TRUE(keep_roofs(store, roofs, "flyball roofline measure").ok());
  EXPECT_TRUE((*stored_roofs(store, "host", "f", {})).has_value());
  // Of another machine of this name nothing is known, but tables speak of a kind of board.
  EXPECT_FALSE((*stored_roofs(store, "host", "g", {})).has_value());
  roofs.provenance = Provenance::table;
  roofs.device = "orin_agx";
  ASSERT_TRUE(keep_roofs(store, roofs, "flyball roofline x").ok());
  EXPECT_TRUE((*stored_roofs(store, "orin_agx", "g", {})).has_value());
}

TEST(Roofs, OfEachModeTheLatestMeasurementCounts) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  BoardRoofs roofs{.device = "host", .title = "a CPU", .fingerprint = "f", .total = "package"};
  const auto keep = [&](const std::vector<std::pair<double, double>>& peaks) {
    roofs.modes.clear();
    for (const auto& [cores, flop_per_s] : peaks)
      roofs.modes.push_back({.mode = {{{"cpu_cores", cores}}}, .flop_per_s = flop_per_s});
    return *keep_roofs(store, roofs, "flyball roofline measure");
  };
  (void)keep({{2, 5e11}, {1, 3e11}});
  const int64_t latest = keep({{1, 2e11}});
  const auto found = *stored_roofs(store, "host", "f", {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->run, latest);
  EXPECT_EQ(found->roofs.modes.size(), 2u);
  EXPECT_EQ(found->roofs.of({{"cpu_cores", 1}})->flop_per_s, 2e11);
  EXPECT_EQ(found->roofs.highest()->flop_per_s, 5e11);
  // Powers of another total do not compare.
  roofs.total = "module";
  (void)keep({{1, 4e11}});
  EXPECT_EQ((*stored_roofs(store, "host", "f", {}))->roofs.modes.size(), 1u);
}

TEST(Roofs, OfSimulatedRowsAreSimulatedAsTheyAreFittedAndKept) {
  std::vector<WorkloadTable> tables = {board_table("resnet50"), board_table("mobilenet_v3"),
                                       board_table("lstm")};
  tables[1].provenance.assign(tables[1].size(), Provenance::simulated);
  const auto answer = roofline_of_tables({.rules = CountRules::pagoda}, tables);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->roofs.provenance, Provenance::simulated);
  EXPECT_THAT(answer->notes, testing::Contains(HasSubstr("rows that were simulated")));
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  ASSERT_TRUE(keep_roofs(store, known_answer().roofs, "older, of measured rows").ok());
  ASSERT_TRUE(keep_roofs(store, answer->roofs, "later").ok());
  EXPECT_EQ(roofs_json(answer->roofs)["provenance"], "simulated");
  // Measured rows come first, whatever was kept last.
  EXPECT_EQ((*stored_roofs(store, "known", "g", {.simulated = true}))->roofs.provenance,
            Provenance::table);
  ASSERT_TRUE(
      store.delete_run((*stored_roofs(store, "known", "g", {.simulated = true}))->run).ok());
  EXPECT_FALSE((*stored_roofs(store, "known", "g", {})).has_value()) << "nobody asked for them";
  const auto kept = stored_roofs(store, "known", "g", {.simulated = true});
  ASSERT_TRUE(kept.ok() && kept->has_value());
  EXPECT_EQ((*kept)->roofs.provenance, Provenance::simulated);
  EXPECT_THAT(roofline_of_board({.workloads = {"resnet50"}}, **kept, {})->notes,
              testing::Contains(HasSubstr("the roofs are simulated")));
}

// Those of 64 samples in each minibatch, in a table that has no column of them.
WorkloadTable table_without_batches(const std::string& workload) {
  const WorkloadTable given = board_table(workload);
  WorkloadTable table = given;
  table.space = Space({named_axis("gpu_mhz")});
  table.minibatch_ms.clear();
  table.power_w.clear();
  for (size_t i = 0; i < given.size(); ++i)
    if (given.space.row(i)[0] == 64)
      table.add(std::array<double, 1>{given.space.row(i)[1]}, given.minibatch_ms[i],
                given.power_w[i]);
  return table;
}

// To count its minibatches as one sample each would make the board slow.
TEST(Roofs, ATableThatDoesNotSayHowLargeItsMinibatchesAreIsLeftOut) {
  std::vector<WorkloadTable> tables = {board_table("mobilenet_v3"), board_table("lstm")};
  const auto without = roofline_of_tables({.rules = CountRules::pagoda}, tables);
  tables.push_back(table_without_batches("resnet50"));
  const auto answer = roofline_of_tables({.rules = CountRules::pagoda}, tables);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(roofs_json(answer->roofs)["modes"], roofs_json(without->roofs)["modes"]);
  EXPECT_THAT(answer->notes, testing::Contains("resnet50 infer on known is left out: it does not "
                                               "say how large its minibatches are"));
  EXPECT_EQ(answer->cases.size(), without->cases.size() + 1);  // its energies are what they are
  EXPECT_EQ(answer->bound.size(), without->bound.size());
  EXPECT_FALSE(answer->choices.back());
  tables.back().batch_size = 64;
  const auto known = roofline_of_tables({.rules = CountRules::pagoda}, tables);
  EXPECT_EQ(known->cases.back().batch_size, 64);
  EXPECT_NEAR(known->roofs.highest()->flop_per_s / 2.4e12, 1, 0.01);
  EXPECT_GT(known->bound.size(), without->bound.size());
  const auto alone = roofline_of_tables({}, std::vector{table_without_batches("resnet50")});
  ASSERT_FALSE(alone.ok());
  EXPECT_THAT(alone.error().message, HasSubstr("how large its minibatches are"));
}

// What is measured of a mode is known by every axis that was set while it was.
TEST(Roofs, AMeasuredModeNamesAllAxes) {
  const ScriptedDevice device;
  const Settings highest = {{"cpu_cores", 4}, {"gpu_mhz", 600}};
  const Settings few_cores = {{"cpu_cores", 1}, {"gpu_mhz", 600}};
  const Settings slow_gpu = {{"cpu_cores", 4}, {"gpu_mhz", 300}};
  std::vector<Settings> modes;
  for (const PowerMode& mode : roof_modes(device)) modes.push_back(mode.values);
  EXPECT_THAT(modes, testing::ElementsAre(highest, few_cores, slow_gpu));
  modes.clear();
  for (const PowerMode& mode : roof_modes(device, {{{{"cpu_cores", 1}}}, {}}))
    modes.push_back(mode.values);
  EXPECT_THAT(modes, testing::ElementsAre(few_cores, highest));
}

// The board was put back meanwhile: what was measured is of no mode.
TEST(Roofs, AModeThatDidNotStandUntilItsEndIsNotMeasured) {
  ScriptedDevice device;
  ScriptedMeter meter([] { return 5.0; });
  meter.name = "";  // or its idle power already would not be measured
  RoofOptions options{.seconds = 0.002, .array_bytes = 1e5, .intensities = {1}};
  options.progress = [&](size_t, size_t, const std::string& what) {
    if (what == "launch")
      device.stands = [] { return Error{Code::unavailable, "the helper went away", ""}; };
  };
  const auto roofs = measure_roofs(device, meter, {{{{"cpu_cores", 1}}}}, options);
  ASSERT_FALSE(roofs.ok());
  EXPECT_EQ(roofs.error().message, "the helper went away");
}

// A trial of a lower clock is no reading under roofs that do not say at which clock they were.
TEST(Roofs, BesideThemStandsWhatWasMeasuredInTheirModeAlone) {
  StoredRoofs stored;
  stored.roofs.device = "board";
  stored.roofs.modes = {
      {.mode = {{{"cpu_cores", 4}}}, .flop_per_s = 1e12, .bytes_per_s = 1e11, .launch_s = 1e-5}};
  StoredMeasurement slow;
  slow.id = 2;
  slow.measurement.trial.job.workload = "resnet18";
  slow.measurement.trial.job.phase = Phase::infer;
  slow.measurement.trial.mode = {{{"cpu_cores", 4}, {"cpu_mhz", 600}}};
  slow.measurement.minibatch_ms = 90;
  StoredMeasurement same = slow;
  same.id = 1;
  same.measurement.trial.mode = {{{"cpu_cores", 4}}};
  same.measurement.minibatch_ms = 30;
  const std::vector<StoredMeasurement> measured = {same, slow};
  const RooflineRequest request{.workloads = {"resnet18"}};
  EXPECT_EQ(roofline_of_board(request, stored, measured)->bound.at(0).measured_s, 0.03);
  const auto none = roofline_of_board(request, stored, std::span(measured).last(1));
  EXPECT_TRUE(std::isnan(none->bound.at(0).measured_s));
  EXPECT_THAT(none->notes, testing::Contains(HasSubstr("none of these was measured in a mode")));
}

TEST(Roofs, PowersOfTwoTotalsGiveNoEnergy) {
  std::vector<WorkloadTable> tables = {board_table("resnet50"), board_table("lstm")};
  ASSERT_TRUE(roofline_of_tables({}, tables)->roofs.modes.front().energy.has_value());
  tables[1].power_total = "monitor";
  const auto answer = roofline_of_tables({}, tables);
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer->roofs.power_gap, HasSubstr("module, monitor"));
  for (const ModeRoofs& mode : answer->roofs.modes) EXPECT_FALSE(mode.energy.has_value());
}

TEST(Roofs, TablesOfTwoBoardsAreRefused) {
  std::vector<WorkloadTable> tables = {board_table("resnet50"), board_table("lstm")};
  tables[1].device = "other";
  const auto answer = roofline_of_tables({}, tables);
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("several boards: known, other"));
}

// Pagoda's finding on measured tables: the least energy lies 11 to 38 % below MAXN in eight of ten
// cases, and two of ResNet-50 look faulty.
TEST(Roofs, TheHighestModeIsNotTheMostFrugalOneOnOrin) {
  const char* named = std::getenv("FLYBALL_DATA");
  const std::filesystem::path folder =
      named ? std::filesystem::path(named)
            : std::filesystem::path(FLYBALL_SOURCE_DIR) / "../shared/data";
  std::vector<WorkloadTable> tables;
  for (const char* name : {"resnet50", "mobilenet_v3"}) {
    const auto file = folder / fmt::format("orin_agx__{}__infer.csv", name);
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
    tables.push_back(read_table(file)->workloads.front());
  }
  const auto answer = roofline_of_tables({.rules = CountRules::pagoda}, tables);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  ASSERT_EQ(answer->cases.size(), 10U);
  std::vector<std::string> doubtful;
  size_t sound = 0;
  for (const EnergyCase& one : answer->cases) {
    if (!one.doubt().empty()) {
      doubtful.push_back(fmt::format("{} {}", one.workload, one.batch_size));
      continue;
    }
    ++sound;
    EXPECT_GT(one.saving(), 0.105) << one.workload << one.batch_size;
    EXPECT_LT(one.saving(), 0.385) << one.workload << one.batch_size;
  }
  EXPECT_EQ(sound, 8U);
  EXPECT_THAT(doubtful, testing::ElementsAre("resnet50 32", "resnet50 64"));
  EXPECT_THAT(answer->verdicts[0], HasSubstr("11 to 38 % below"));
}

}  // namespace
}  // namespace flyball
