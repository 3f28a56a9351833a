// Experiments on simulated boards: what has no counterpart there is said.
#include "experiment/twin_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/registry/board.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::ElementsAre;

Result<ExperimentResult> simulated(const std::string& toml) {
  const auto board = open_board("twin:orin_nano").value();
  return simulate_experiment(parse_experiment("question = \"workers\"\n" + toml, "x.toml").value(),
                             ExperimentOptions(), *board);
}

// A simulated board knows the cores of its mode: figures by threads would be those of one setting.
TEST(TwinRunner, ThreadsAreNotSimulated) {
  const std::string threads = ": a simulated board computes with all cores of its mode";
  const auto fixed =
      simulated("[fixed]\nepochs = 1\nthreads = 2\n[vary]\nworkers = [0, 1]\n").value();
  EXPECT_EQ(fixed.runs.size(), 2u);
  EXPECT_THAT(fixed.left_out, Contains("threads 2" + threads));
  const auto varied = simulated("[fixed]\nepochs = 1\n[vary]\nthreads = [0, 1, 4]\n").value();
  ASSERT_EQ(varied.runs.size(), 1u);
  EXPECT_EQ(varied.runs.front().settings.threads, 0);
  EXPECT_THAT(varied.left_out, ElementsAre("threads 1" + threads, "threads 4" + threads));
  const auto none = simulated("[fixed]\nepochs = 1\n[vary]\nthreads = [1, 4]\n");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "experiment x cannot be simulated: threads 1" + threads);
}

}  // namespace
}  // namespace flyball
