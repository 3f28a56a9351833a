// Results of the benchmark as files that agree with themselves, the rules they keep, their ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "benchmark/ranking.h"
#include "benchmark/run_entry.h"
#include "device/registry/board.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Benchmark built_in() {
  auto benchmark = edge_training();
  EXPECT_TRUE(benchmark.ok()) << benchmark.error().message;
  return *benchmark;
}

/// Reaches the target after `needed` epochs of `epoch_s`, at so many watts.
EntryResult trained(const BenchmarkEntry& entry, double epoch_s, double watts, int needed = 2) {
  EntryResult result;
  result.entry = entry;
  result.libraries = "LibTorch 1.13.1";
  result.test_samples = 100;
  result.watched = true;
  const bool lower = lower_is_better(entry.quality);
  for (int i = 0; i < needed + 2; ++i) {
    BenchmarkEpoch epoch{.e2e_s = epoch_s,
                         .stall_s = epoch_s / 4,
                         .compute_s = epoch_s / 2,
                         .overhead_s = epoch_s / 4,
                         .loss = 1.0,
                         .quality = {},
                         .others_cpu_pct = 4};
    if (i < needed - 1) epoch.quality = entry.target * (lower ? 2 : 0.5);
    if (i == needed - 1) epoch.quality = entry.target;
    result.epochs.push_back(epoch);
  }
  BenchmarkPower& power = result.power;
  power.total = "module";
  power.sensors = {"VDD_GPU", "VDD_CPU"};
  power.trained_s = 3;
  power.begin_s = 10;
  power.mean_w = watts;
  power.updates = 60;
  for (int i = 1; i <= 60; ++i) power.samples.emplace_back(10 + 0.5 * i, watts);
  power.end_s = 40;
  power.energy_j = 30 * watts;
  return result;
}

BenchmarkResult whole(const Benchmark& benchmark, const std::string& board, double epoch_s,
                      double watts) {
  BenchmarkResult result;
  result.benchmark = benchmark.name;
  result.version = benchmark.version;
  result.definition = benchmark.digest;
  result.flyball = "0.1.0";
  result.started_utc = "2026-01-01T00:00:00Z";
  result.board.name = result.board.title = board;
  result.board.fingerprint = board + ", 12 cores";
  result.mode.values = result.mode_after.values = {{"gpu_mhz", 1300}};
  for (const BenchmarkEntry& entry : benchmark.entries)
    result.entries.push_back(trained(entry, epoch_s, watts));
  result.signed_off_by = "A. Person";
  result.signed_off_utc = "2026-01-02T00:00:00Z";
  return result;
}

CheckedResult checked(const Benchmark& benchmark, const std::string& text,
                      const std::string& name = "x.json") {
  auto read = parse_benchmark_result(text, name);
  EXPECT_TRUE(read.ok()) << read.error().message;
  return check_result(*std::move(read), benchmark);
}
CheckedResult checked(const Benchmark& benchmark, const BenchmarkResult& result,
                      const std::string& name = "x.json") {
  return checked(benchmark, benchmark_json(result).dump(2), name);
}

TEST(BenchmarkResult, AWholeOneKeepsAllRules) {
  const Benchmark benchmark = built_in();
  const CheckedResult found = checked(benchmark, whole(benchmark, "orin", 10, 20));
  for (const AppliedRule& rule : found.rules)
    EXPECT_TRUE(rule.holds == true) << rule.rule << " " << rule.entry << ": " << rule.why;
  EXPECT_EQ(found.broken(), "");
  EXPECT_TRUE(found.power_counts("lenet5"));
}

TEST(BenchmarkResult, ReadsAsItWasWritten) {
  const Benchmark benchmark = built_in();
  const Json written = benchmark_json(whole(benchmark, "orin", 10, 20));
  const auto read = parse_benchmark_result(written.dump(), "x.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(benchmark_json(read->result), written);
  const EntryResult& first = read->result.entries.front();
  EXPECT_EQ(first.epochs_to_target(), 2);
  EXPECT_DOUBLE_EQ(*first.time_to_target_s(), 20);
  EXPECT_DOUBLE_EQ(*first.energy_to_target_j(), 400);
  EXPECT_DOUBLE_EQ(*first.epoch_j(), 200);
}

/// The rules that a whole result breaks once it is spoilt.
std::vector<AppliedRule> broken_rules(const Benchmark& benchmark,
                                      const std::function<void(BenchmarkResult&)>& spoil) {
  BenchmarkResult result = whole(benchmark, "orin", 10, 20);
  spoil(result);
  std::vector<AppliedRule> rules = checked(benchmark, result).rules;
  std::erase_if(rules, [](const AppliedRule& rule) { return rule.holds != false; });
  return rules;
}

// Every way in which a result may be wrong, and the rule that says so.
TEST(BenchmarkResult, EachFaultBreaksItsRule) {
  const Benchmark benchmark = built_in();
  const auto broken = [&](const std::function<void(BenchmarkResult&)>& spoil) {
    std::vector<std::string> rules;
    for (const AppliedRule& rule : broken_rules(benchmark, spoil)) rules.push_back(rule.rule);
    return rules;
  };
  const auto entry = [](const std::function<void(EntryResult&)>& spoil) {
    return [spoil](BenchmarkResult& result) { spoil(result.entries[1]); };
  };
  EXPECT_THAT(broken([](auto& r) { r.definition = "0"; }), ElementsAre("same benchmark"));
  EXPECT_THAT(broken([](auto& r) { r.signed_off_by = ""; }), ElementsAre("signed off"));
  EXPECT_THAT(broken([](auto& r) { r.mode_after.values["gpu_mhz"] = 600; }),
              ElementsAre("one mode"));
  EXPECT_THAT(broken(entry([](auto& e) { e.entry.batch_size = 32; })), ElementsAre("as defined"));
  EXPECT_THAT(broken(entry([](auto& e) { e.entry.target = 0.1; })), ElementsAre("as defined"));
  EXPECT_THAT(broken(entry([](auto& e) { e.epochs.resize(2); })), ElementsAre("times"));
  EXPECT_THAT(broken(entry([](auto& e) { e.epochs[0].stall_s = 0; })), ElementsAre("times"));
  EXPECT_THAT(broken(entry([](auto& e) { e.epochs[1].quality = 0.1; })),
              ElementsAre("target reached"));
  EXPECT_THAT(broken(entry([](auto& e) { e.disturbed = "flyball tune"; })), ElementsAre("alone"));
  EXPECT_THAT(broken(entry([](auto& e) { e.throttled = {"thermal slowdown"}; })),
              ElementsAre("alone"));
  const auto loaded = [&](double pct) {
    return broken(entry([pct](auto& e) {
      for (auto& epoch : e.epochs) epoch.others_cpu_pct = pct;
    }));
  };
  EXPECT_THAT(loaded(benchmark.rules.others_pct), IsEmpty());
  // What no sensor tells is said, and not held against it.
  BenchmarkResult unwatched = whole(benchmark, "orin", 10, 20);
  unwatched.entries[1].watched = false;
  for (auto& epoch : unwatched.entries[1].epochs) epoch.others_cpu_pct = {};
  const CheckedResult unknown = checked(benchmark, unwatched);
  EXPECT_FALSE(unknown.any_broken());
  EXPECT_TRUE(std::ranges::any_of(unknown.rules, [](const AppliedRule& rule) {
    return rule.rule == "alone" && rule.why.ends_with("whether it throttled is not known");
  }));
  EXPECT_THAT(loaded(benchmark.rules.others_pct + 1), ElementsAre("alone"));
  EXPECT_THAT(broken(entry([](auto& e) { e.provenance = Provenance::simulated; })),
              ElementsAre("measured"));
}

// Each is the only fault of its power, so that none stands in for another.
TEST(BenchmarkResult, EachFaultOfItsPowerIsNamed) {
  const Benchmark benchmark = built_in();
  const auto why = [&](const std::function<void(BenchmarkPower&)>& spoil) {
    const auto broken =
        broken_rules(benchmark, [&](BenchmarkResult& result) { spoil(result.entries[1].power); });
    return broken.size() == 1 && broken[0].rule == "power" ? broken[0].why : "no, or another rule";
  };
  EXPECT_THAT(why([](auto& power) { power.sensors.clear(); }), HasSubstr("which sensors"));
  EXPECT_THAT(why([](auto& power) { power.samples.resize(59); }), HasSubstr("59 samples"));
  EXPECT_THAT(why([](auto& power) { power.trained_s = 1; }), HasSubstr("after 1 s of training"));
  EXPECT_THAT(why([](auto& power) { power.samples.front().first = 9.9; }),
              HasSubstr("sample at 9.9 s lies outside of its window"));
  EXPECT_THAT(why([](auto& power) { power.end_s = 39.9; }),
              HasSubstr("sample at 40 s lies outside of its window"));
  EXPECT_THAT(why([](auto& power) { std::swap(power.samples[30], power.samples[31]); }),
              HasSubstr("not in the order of time"));
  EXPECT_THAT(why([](auto& power) {
                power.end_s += 2;
                for (size_t i = 30; i < 60; ++i) power.samples[i].first += 2;
              }),
              HasSubstr("no sample of power for 2.5 s, and every 0.5 s is usual"));
  EXPECT_THAT(why([](auto& power) {
                power.end_s = 1000;
                for (auto& [at, watts] : power.samples) at = 10 + (at - 10) * 3;
              }),
              HasSubstr("a sample of power each 1.5 s"));
  EXPECT_THAT(why([](auto& power) { power.updates = 1; }), HasSubstr("one value throughout"));
  EXPECT_THAT(why([](auto& power) { power.mean_w = 10; }), HasSubstr("it says 10"));
}

TEST(BenchmarkResult, WhatWasEditedIsSeen) {
  const Benchmark benchmark = built_in();
  Json json = benchmark_json(whole(benchmark, "orin", 10, 20));
  json["board"]["title"] = "another";
  EXPECT_THAT(checked(benchmark, json.dump()).broken(), HasSubstr("it was changed"));
  json = benchmark_json(whole(benchmark, "orin", 10, 20));
  json["entries"][0]["time_to_target_s"] = 1;
  EXPECT_THAT(checked(benchmark, json.dump()).broken(), HasSubstr("it was changed"));
  EXPECT_EQ(checked(benchmark, benchmark_json(whole(benchmark, "orin", 10, 20)).dump(7)).broken(),
            "");  // blanks are no change
}

TEST(BenchmarkResult, WithoutPowerItTellsTimesAlone) {
  const Benchmark benchmark = built_in();
  BenchmarkResult result = whole(benchmark, "orin", 10, 20);
  for (EntryResult& entry : result.entries) {
    entry.power = {};
    entry.power.gap = "no rails";
  }
  const CheckedResult found = checked(benchmark, result);
  EXPECT_FALSE(found.any_broken());
  EXPECT_EQ(rank_results({found}, benchmark, RankedBy::time).overall.size(), 1U);
  const Ranking by_energy = rank_results({found}, benchmark, RankedBy::energy);
  EXPECT_THAT(by_energy.overall, IsEmpty());
  EXPECT_EQ(by_energy.left_out.front().why, "no rails");
}

TEST(BenchmarkResult, ForeignFilesAreNamed) {
  for (const char* text : {"", "[]", "{", "{\"benchmark\": 3}", "{\"benchmark\": {\"name\": 1}}"}) {
    const auto read = parse_benchmark_result(text, "x.json");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().message, HasSubstr("x.json is no result of the benchmark"));
  }
}

TEST(BenchmarkRanking, TheFasterIsFirstAndTheThriftierIsByEnergy) {
  const Benchmark benchmark = built_in();
  const CheckedResult fast = checked(benchmark, whole(benchmark, "fast", 10, 40), "fast.json");
  const CheckedResult thrifty = checked(benchmark, whole(benchmark, "slow", 20, 10), "slow.json");
  BenchmarkResult unsigned_result = whole(benchmark, "nobody", 1, 1);
  unsigned_result.signed_off_by = "";
  const CheckedResult nobody = checked(benchmark, unsigned_result, "nobody.json");
  const Ranking by_time = rank_results({thrifty, fast, nobody}, benchmark, RankedBy::time);
  ASSERT_EQ(by_time.overall.size(), 2U);
  EXPECT_EQ(by_time.overall[0].board, "fast");
  EXPECT_NEAR(by_time.overall[1].ratio, 2, 1e-9);
  EXPECT_EQ(by_time.shared.size(), benchmark.entries.size());
  ASSERT_EQ(by_time.left_out.size(), 1U);
  EXPECT_THAT(by_time.left_out[0].why, HasSubstr("nobody vouches"));
  const Ranking by_energy = rank_results({thrifty, fast}, benchmark, RankedBy::energy);
  EXPECT_EQ(by_energy.overall[0].board, "slow");
  EXPECT_NEAR(by_energy.overall[1].ratio, 2, 1e-9);  // 40 W for 10 s beside 10 W for 20
}

// Simulated boards stand among the others without a rank, and do not move theirs.
TEST(BenchmarkRanking, WhatIsSimulatedHasNoRank) {
  const Benchmark benchmark = built_in();
  BenchmarkResult simulated = whole(benchmark, "twin", 1, 1);
  simulated.signed_off_by = "";
  for (EntryResult& entry : simulated.entries) {
    entry.provenance = Provenance::simulated;
    entry.epochs.resize(static_cast<size_t>(std::max(entry.entry.epochs, 3)), entry.epochs[0]);
  }
  const Ranking ranking =
      rank_results({checked(benchmark, simulated, "twin.json"),
                    checked(benchmark, whole(benchmark, "real", 10, 20), "real.json")},
                   benchmark, RankedBy::time);
  for (const RankedEntry& entry : ranking.entries) {
    ASSERT_EQ(entry.rows.size(), 2U);
    for (const RankedRow& row : entry.rows) {
      EXPECT_EQ(row.rank.has_value(), row.board == "real");
      if (row.board == "real") {
        EXPECT_DOUBLE_EQ(row.ratio, 1);
      }
    }
  }
  EXPECT_EQ(ranking.overall.size(), 1U);
  EXPECT_THAT(rank_results({checked(benchmark, simulated)}, benchmark, RankedBy::time).shared,
              IsEmpty())
      << "no ranked result shares them";
}

TEST(BenchmarkRanking, AResultInTwoFilesIsOne) {
  const Benchmark benchmark = built_in();
  const CheckedResult one = checked(benchmark, whole(benchmark, "real", 10, 20), "a.json");
  CheckedResult again = one;
  again.read.file = "b.json";
  const CheckedResult other = checked(benchmark, whole(benchmark, "real", 11, 20), "c.json");
  const Ranking ranking = rank_results({one, again, other}, benchmark, RankedBy::time);
  EXPECT_EQ(ranking.overall.size(), 2U);
  ASSERT_EQ(ranking.left_out.size(), 1U);
  EXPECT_EQ(ranking.left_out[0].file, "b.json");
  EXPECT_EQ(ranking.left_out[0].why, "it holds the same result as a.json");
}

TEST(Benchmark, FaultsOfItsFileAreNamed) {
  const std::string text = benchmark_texts().front().text;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    const auto benchmark = parse_benchmark(changed, "b.toml");
    return benchmark.ok() ? "" : benchmark.error().message;
  };
  EXPECT_THAT(with("id = \"resnet18\"", "id = \"lenet5\""), HasSubstr("two entries 'lenet5'"));
  EXPECT_THAT(with("quality = \"accuracy\"", "quality = \"beauty\""),
              HasSubstr("no quality 'beauty'"));
  EXPECT_THAT(with("most_epochs = 20", "most_epochs = 1"), HasSubstr("fewer than epochs"));
  EXPECT_THAT(with("samples = 60000", "samples = -1"), HasSubstr("samples is missing"));
  EXPECT_THAT(with("seed = 1", "sed = 1"), HasSubstr("unknown key 'sed'"));
  EXPECT_THAT(with("rate_hz = 1", ""), HasSubstr("rate_hz is missing"));
  EXPECT_THAT(with("[alone]", "[beside]"), HasSubstr("unknown key 'beside'"));
  EXPECT_EQ(parse_benchmark("", "b.toml").error().hint, "docs/benchmark.md says what stands there");
}

TEST(Benchmark, ABoardThatIsSimulatedTakesAsManyEpochsAsTheReference) {
  const Benchmark benchmark = built_in();
  const auto board = *open_board("twin:orin_agx");
  const BenchmarkEntry& lenet5 = *benchmark.find("lenet5");
  const auto result = simulate_entry(benchmark, lenet5, *board, {.workers = 1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->provenance, Provenance::simulated);
  EXPECT_EQ(result->epochs_to_target(), lenet5.epochs);
  EXPECT_NEAR(*result->time_to_target_s(), lenet5.epochs * *result->epoch_s(),
              0.5 * *result->epoch_s());
  EXPECT_NEAR(*result->epoch_j(), result->power.mean_w * *result->epoch_s(), 1e-6);
  // What the twin computes of ResNet-18 are pictures of 224 × 224.
  for (const char* smaller : {"resnet18", "yolo_v8n"})
    EXPECT_THAT(simulate_entry(benchmark, *benchmark.find(smaller), *board, {}).error().message,
                HasSubstr(std::string("no simulated board knows ") + smaller + " on pictures of "));
}

}  // namespace
}  // namespace flyball
