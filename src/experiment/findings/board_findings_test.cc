#include "experiment/findings/board_findings.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

Group mode(const std::string& label, double e2e_s, std::optional<double> energy_j) {
  Group group{.label = label};
  group.first.e2e_s = e2e_s;
  group.first.energy_j = energy_j;
  return group;
}

// LeNet-5's epochs in modes a to j of POMACS 6(3), section 5.6, in s and mWh.
TEST(BoardFindings, TheFrontIsThatOfTheStudy) {
  const std::vector<Group> groups = {
      mode("a", 78.3, 127), mode("b", 66.2, 125), mode("c", 70.2, 123), mode("d", 68.5, 125),
      mode("e", 43.0, 109), mode("f", 72.5, 148), mode("g", 35.2, 111), mode("h", 53.1, 132),
      mode("i", 43.6, 114), mode("j", 40.3, 114), mode("k", 81.8, 168), mode("l", 70.6, 148),
      mode("m", 38.0, 109), mode("n", 38.1, 116)};
  std::vector<std::string> names;
  for (const Group* group : pareto_modes(groups)) names.push_back(group->label);
  EXPECT_THAT(names, testing::ElementsAre("m", "g"));  // e has m's energy and is slower
  std::vector<Finding> list;
  mode_findings(ExperimentSpec(), groups, list);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_THAT(list[0].text, HasSubstr("The fastest is g"));
  EXPECT_THAT(list[1].text, HasSubstr("The thriftiest is m"));
  EXPECT_THAT(list[2].text, HasSubstr("these: m; g."));
  EXPECT_EQ(list[2].as_expected, std::nullopt) << "the fastest is on any front";
}

TEST(BoardFindings, WithoutEnergyThereIsNoFront) {
  const std::vector<Group> groups = {mode("a", 78, 127), mode("b", 66, {})};
  EXPECT_TRUE(pareto_modes(groups).empty());
  std::vector<Finding> list;
  mode_findings(ExperimentSpec(), groups, list);
  EXPECT_THAT(list.back().text, HasSubstr("energy is not measured"));
}

TEST(BoardFindings, BaseLoadBesideWhatWasPublished) {
  std::vector<Group> groups = {mode("a", 78, 127), mode("b", 66, 125), mode("c", 70, 123)};
  const auto told = [&](const std::string& workload, std::vector<double> base) {
    for (size_t i = 0; i < groups.size(); ++i) {
      groups[i].settings.workload = workload;
      groups[i].first.power_w = 20;
      groups[i].first.base_w = base[i];
    }
    std::vector<Finding> list;
    mode_findings(ExperimentSpec(), groups, list);
    return list.back();
  };
  const Finding lenet = told("lenet5", {12, 14, 9});
  EXPECT_THAT(lenet.text, HasSubstr("is 45 % of the energy (c) to 70 % (b); published of it: 65 to "
                                    "80 %."));
  EXPECT_EQ(lenet.as_expected, std::nullopt) << "findings judge it";
  EXPECT_THAT(told("mobilenet_v3", {10, 14, 9}).text, EndsWith("published of it: 20 to 45 %."));
  EXPECT_THAT(told("lstm", {10, 14, 9}).text, EndsWith("to 70 % (b)."));
}

TEST(BoardFindings, FreeClocksAgainstPinned) {
  Group off = mode("dvfs off", 10, 100), on = mode("dvfs on", 11, 90);
  off.settings.dvfs = "off";
  on.settings.dvfs = "on";
  on.residency = {{"gpu_mhz", 0, {{300, 0.75}, {1377, 0.25}}}};
  std::vector<Finding> list;
  dvfs_findings(ExperimentSpec(), {off, on}, list);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_THAT(list[0].text, HasSubstr("(+10.0 %) and its energy from 100 J to 90 J (-10.0 %)"));
  EXPECT_THAT(list[1].text, HasSubstr("gpu_mhz is at 300 MHz for 75 % of the time and below 90 % "
                                      "of 1377 MHz for 75 %"));
}

// Of batch sizes and modes that vary, each is told where nothing else differs.
TEST(BoardFindings, CompareWhatDiffersInNothingElse) {
  ExperimentSpec spec;
  spec.vary = {{"batch_size", {1.0, 16.0}}};
  const auto at = [](int64_t batch_size, const std::string& label, double e2e_s) {
    Group group = mode(label, e2e_s, 10 * e2e_s);
    group.settings.batch_size = batch_size;
    return group;
  };
  std::vector<Group> groups = {at(1, "p", 90), at(1, "q", 80), at(16, "r", 9), at(16, "s", 8)};
  for (const size_t pinned : {0u, 2u}) {
    groups[pinned].settings.dvfs = "off";
    groups[pinned + 1].settings.dvfs = "on";
  }
  std::vector<Finding> list;
  dvfs_findings(spec, groups, list);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_THAT(list[1].text,
              HasSubstr("batch_size 16: with clocks free an epoch goes from 9 s to 8 s (-11.1 %)"));

  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].settings.dvfs.clear();
    groups[i].settings.power_mode = groups[i].label;
  }
  list.clear();
  mode_findings(spec, groups, list);
  ASSERT_EQ(list.size(), 6u);
  EXPECT_THAT(list[0].text, HasSubstr("batch_size 1: The fastest is q: "));
  EXPECT_THAT(list[3].text, HasSubstr("batch_size 16: The fastest is s: "));
}

}  // namespace
}  // namespace flyball
