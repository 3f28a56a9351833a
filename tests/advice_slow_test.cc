// What an infeasible answer says would do is typed as it is said, over measured tables: what rests
// on readings always does, what is predicted in nine cases of ten.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json.h"
#include "command_testing.h"
#include "problem/problem.h"
#include "space/table.h"

namespace flyball::testing_tools {
namespace {

using Words = std::vector<std::string>;

/// The least of each over a table: budgets are shares of them.
struct Least {
  double ms = unlimited, w = unlimited, j = unlimited;

  explicit Least(const WorkloadTable& table) {
    for (size_t i = 0; i < table.size(); ++i) {
      ms = std::min(ms, table.minibatch_ms[i]);
      w = std::min(w, table.power_w[i]);
      j = std::min(j, table.minibatch_ms[i] * 1e-3 * table.power_w[i]);
    }
  }
};

class AdviceTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (measured_tables().empty()) GTEST_SKIP() << "no measured tables (set FLYBALL_DATA)";
  }
  static std::string file(const std::string& name) {
    return (measured_tables() / (name + ".csv")).string();
  }
  static Least least(const std::string& name) {
    return Least(read_table(file(name))->workloads.front());
  }

  /// The same command with what is advised in the place of what was asked.
  static Words follow(Words words, const SortedJson& advice) {
    std::string unit = advice["unit"];
    if (unit == "requests/s" || unit == "profiles") unit = "";
    const std::string value = fmt::format("{:.12g}{}", advice["value"].get<double>(), unit);
    const std::string flag = advice["flag"];
    const auto given = std::ranges::find(words, flag);
    if (given == words.end())
      words.insert(words.end(), {flag, value});
    else
      *(given + 1) = value;
    return words;
  }
  void try_out(Words words) {
    words.insert(words.end(), {"--json", "-q"});
    fs::remove(environment_["FLYBALL_STORE"]);
    const Finished done = run(words);
    ++asked_;
    if (done.exit_code == 0) return;
    ASSERT_EQ(done.exit_code, 1) << done.err;
    const SortedJson answer = done.json();
    for (const SortedJson& advice : answer["infeasible"]["easing"]) {
      const Finished again = run(follow(words, advice));
      const bool held = again.exit_code == 0, predicted = advice["provenance"] == "predicted";
      (predicted ? predicted_ : known_) += 1;
      (predicted ? predicted_held_ : known_held_) += held;
      if (!held)
        printf("  failed: %s %s\n", advice.dump().c_str(), SortedJson(words).dump().c_str());
    }
  }
  void train(const std::string& name) {
    const Least one = least(name);
    for (const auto& [power, time, energy] :
         {std::array{1.3, 1.5, 0.0}, std::array{1.6, 2.0, 0.0}, std::array{2.0, 0.0, 0.95},
          std::array{1.1, 3.0, 0.0}, std::array{1.2, 2.5, 0.0}, std::array{1.5, 1.7, 0.0},
          std::array{2.2, 1.2, 0.0}, std::array{0.98, 0.0, 0.0}, std::array{0.0, 0.9, 0.0},
          std::array{0.0, 0.0, 0.9}, std::array{0.0, 1.6, 0.97}, std::array{1.2, 0.0, 1.2}})
      for (const char* profiles : {"5", "6", "8"})
        for (const char* seed : {"1", "2"}) {
          // Of an epoch: 100 minibatches of 16.
          Words words = {"tune",      "--device", "table:" + file(name),
                         "--samples", "1600",     "--profiles",
                         profiles,    "--seed",   seed};
          if (power > 0)
            words.insert(words.end(), {"--power-budget", fmt::format("{:.6g}W", power * one.w)});
          if (time > 0)
            words.insert(words.end(),
                         {"--time-budget", fmt::format("{:.6g}s", time * one.ms / 10)});
          if (energy > 0)
            words.insert(words.end(),
                         {"--energy-budget", fmt::format("{:.6g}J", energy * one.j * 100)});
          try_out(words);
        }
  }
  void serve(const Words& roles, const std::string& name, const std::vector<double>& latencies) {
    const Least one = least(name);
    for (const double rate : {0.2, 0.5, 1.0, 2.0, 4.0})
      for (const double latency : latencies)
        for (const double power : {0.9, 1.1, 1.3}) {
          Words words = roles;
          words.insert(words.end(), {"--rate", fmt::format("{:.6g}", rate * 1e3 / one.ms),
                                     "--latency", fmt::format("{:.6g}ms", latency * one.ms),
                                     "--power-budget", fmt::format("{:.6g}W", power * one.w)});
          try_out(words);
        }
  }

  size_t asked_ = 0, known_ = 0, known_held_ = 0, predicted_ = 0, predicted_held_ = 0;
};

TEST_F(AdviceTest, WhatIsAdvisedDoesWhenItIsTyped) {
  const std::string resnet = "orin_agx__resnet18__train", mobile = "orin_agx__mobilenet_v3__train",
                    vit = "xavier_agx__vit_b16__train", resnet50 = "orin_agx__resnet50__infer",
                    mobile_infer = "orin_agx__mobilenet_v3__infer";
  for (const std::string& name : {resnet, mobile, vit}) train(name);
  for (const std::string& name : {resnet50, mobile_infer})
    serve({"plan", "inference", "--infer", file(name)}, name, {0.8, 1.5, 3, 6});
  serve({"plan", "concurrent", "--train", file(resnet), "--infer", file(mobile_infer)},
        mobile_infer, {1.2, 6});
  serve({"plan", "concurrent", "--train", file(mobile), "--infer", file(resnet50)}, resnet50,
        {1.2, 6});
  printf("%zu commands; on readings %zu of %zu held, on predictions %zu of %zu\n", asked_,
         known_held_, known_, predicted_held_, predicted_);
  EXPECT_GE(predicted_, 40u);
  EXPECT_EQ(known_held_, known_);
  EXPECT_GE(static_cast<double>(predicted_held_), 0.9 * static_cast<double>(predicted_));
}

}  // namespace
}  // namespace flyball::testing_tools
