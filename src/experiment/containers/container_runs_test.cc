#include "experiment/container_runs.h"

#include <gmock/gmock.h>

#include "base/json.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

ExperimentSpec container_spec() {
  ExperimentSpec spec;
  spec.name = "small";
  spec.question = Question::containers;
  spec.vary = {{"runtime", {std::string("bare"), std::string("bwrap"), std::string("runc")}},
               {"phase", {std::string("train"), std::string("infer")}}};
  return spec;
}

std::vector<std::string> turns(const ExperimentSpec& spec, int repeat) {
  std::vector<std::string> labels;
  for (const RunSettings& run : runs_in_turn(spec, repeat))
    labels.push_back(settings_label({"runtime", "phase"}, run));
  return labels;
}

TEST(ContainerRuns, EachRepeatHasAnOrderThatTheSeedDraws) {
  const ExperimentSpec one = container_spec();
  EXPECT_EQ(turns(one, 0), turns(one, 0)) << "a start that goes on takes the same";
  EXPECT_THAT(turns(one, 1), ::testing::UnorderedElementsAreArray(turns(one, 0)));
  EXPECT_NE(turns(one, 0), turns(one, 1));
  ExperimentSpec other = one;
  other.fixed.seed = 9;
  EXPECT_NE(turns(other, 0), turns(one, 0));
}

TEST(ContainerRuns, OthersKeepTheirOrder) {
  ExperimentSpec other;
  other.vary = {{"workers", {0.0, 1.0, 2.0, 3.0}}};
  const auto runs = runs_in_turn(other, 3);
  ASSERT_EQ(runs.size(), 4u);
  for (size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i].workers, static_cast<int>(i));
}

TEST(ContainerRuns, WhatDoesNotWorkIsLeftOutAndNamed) {
  ExperimentSpec one = container_spec();
  const auto left_out = leave_out_runtimes(one, [](const std::string& runtime) {
    return runtime == "runc" ? std::string("runtime runc: no") : "";
  });
  EXPECT_THAT(left_out, ::testing::ElementsAre("runtime runc: no"));
  EXPECT_EQ(one.runs().size(), 4u);
  EXPECT_TRUE(check_runtimes(one, left_out).ok());
  const auto all = leave_out_runtimes(
      one, [](const std::string& runtime) { return runtime == "bare" ? "" : "it is not here"; });
  const Status nothing = check_runtimes(one, all);
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.error().message, HasSubstr("it is not here"));
  EXPECT_THAT(nothing.error().hint, HasSubstr("bubblewrap"));
}

TEST(ContainerRuns, TheFileSaysWhatBelongsTogether) {
  const auto complaint = [](const std::string& text) {
    const auto read = parse_experiment(text, "x.toml");
    return read ? std::string() : read.error().message;
  };
  const std::string vary = "[vary]\nruntime = [\"bare\", \"bwrap\"]\n";
  EXPECT_EQ(complaint("question = \"containers\"\n" + vary), "");
  EXPECT_THAT(complaint("question = \"workers\"\n" + vary), HasSubstr("question containers"));
  EXPECT_THAT(complaint("question = \"containers\"\n[vary]\nruntime = [\"bwrap\", \"runc\"]\n"),
              HasSubstr("no run is bare"));
  EXPECT_THAT(complaint("question = \"containers\"\n[fixed]\nmemory_mb = 64\n" + vary),
              HasSubstr("not for runtimes"));
  EXPECT_THAT(complaint("question = \"containers\"\nno_difference_pct = -1\n" + vary),
              HasSubstr("no_difference_pct"));
}

}  // namespace
}  // namespace flyball
