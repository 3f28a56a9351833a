#include "evaluate/findings/findings_eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

PublishedStudy built_in() {
  const auto& [file, text] = published_studies().front();
  auto study = parse_study(text, file);
  EXPECT_TRUE(study.ok()) << study.error().message;
  return *study;
}

/// The verdict on one check of AGX Xavier, as a file would have it.
FindingVerdict judged(const std::string& kind, const std::string& check) {
  const std::string text =
      "[modes]\ng = [8, 2265, 1377, 2133]\nb = [8, 1200, 670, 1333]\n"
      "[boards]\nxavier_agx = {mode = \"g\", storage = \"hdd\"}\n"
      "[[finding]]\nid = \"x\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n" +
      kind + " = [{board = \"xavier_agx\", workload = \"resnet18_cifar10\", " + check + "}]\n";
  const auto study = parse_study(text, "x.toml");
  EXPECT_TRUE(study.ok()) << study.error().message;
  const auto report = evaluate_findings(*study);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report->findings.front().verdict;
}

std::vector<std::string> of_verdict(const FindingsReport& report, FindingVerdict verdict,
                                    bool held) {
  std::vector<std::string> ids;
  for (const FindingResult& one : report.findings)
    if (one.verdict == verdict && one.held == held) ids.push_back(one.id);
  return ids;
}

TEST(Findings, AChangeNeedsItsSignAndItsSize) {
  const auto change = [](const std::string& published, const std::string& more = "") {
    return judged("change",
                  "figure = \"e2e_s\", from = {mode = \"b\"}, to = {mode = \"g\"}, "
                  "published = " +
                      published + more);
  };
  EXPECT_EQ(change("[660.4, 345.3]"), FindingVerdict::holds);
  EXPECT_EQ(change("[660.4, 600.0]"), FindingVerdict::size);
  EXPECT_EQ(change("[660.4, 60.0]"), FindingVerdict::size);
  EXPECT_EQ(change("[345.3, 660.4]"), FindingVerdict::sign);
  EXPECT_EQ(change("[1, 1]", ", spread = 3"), FindingVerdict::size);
  EXPECT_EQ(change("[1, 1]", ", spread = 200"), FindingVerdict::holds);
  EXPECT_EQ(change("[100, 101]", ", spread = 200, sign = true"), FindingVerdict::sign);
}

TEST(Findings, LevelsRangesAndFrontsAreTheTwinsOwn) {
  EXPECT_EQ(judged("level", "figure = \"e2e_s\", published = 345.3"), FindingVerdict::holds);
  EXPECT_EQ(judged("level", "figure = \"e2e_s\", published = 900"), FindingVerdict::size);
  EXPECT_EQ(judged("level", "figure = \"e2e_s\", published = 900, most = true"),
            FindingVerdict::holds);
  EXPECT_EQ(judged("front", "modes = \"bg\", published = \"bg\", on = \"g\", off = \"\""),
            FindingVerdict::holds);
  EXPECT_EQ(judged("front", "modes = \"bg\", published = \"b\", on = \"b\", off = \"g\""),
            FindingVerdict::sign);
}

// Which findings the twin shows: a change of the twin that gains or loses one is to say so here and
// in docs/twin.md.
TEST(Findings, OfTheStudy) {
  const auto report = evaluate_findings(built_in());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(of_verdict(*report, FindingVerdict::sign, false), UnorderedElementsAre());
  EXPECT_THAT(of_verdict(*report, FindingVerdict::sign, true),
              UnorderedElementsAre("fronts-of-time-and-energy"));
  EXPECT_THAT(
      of_verdict(*report, FindingVerdict::size, false),
      UnorderedElementsAre("a-busy-gpu", "free-clocks-cost-little", "governors-lower-an-idle-gpu",
                           "the-gpus-clock", "the-cpus-clock", "a-small-network-follows-the-cpu",
                           "workers-slow-the-computing"));
  EXPECT_THAT(of_verdict(*report, FindingVerdict::size, true),
              UnorderedElementsAre("workers-by-device", "batches-amortise", "cores",
                                   "the-memorys-clock", "what-trains-where"));
  EXPECT_EQ(report->count(FindingVerdict::holds, false), 16u);
}

TEST(Findings, AreTheSameEachTime) {
  const auto a = evaluate_findings(built_in()), b = evaluate_findings(built_in());
  EXPECT_EQ(to_json(*a), to_json(*b));
}

TEST(Findings, FilesSayWhichLineIsWrong) {
  const auto complaint = [](const std::string& text) {
    const auto study = parse_study(text, "x.toml");
    EXPECT_FALSE(study.ok()) << text;
    return study.ok() ? "" : study.error().message;
  };
  const std::string finding =
      "[[finding]]\nid = \"x\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n";
  EXPECT_THAT(complaint(""), HasSubstr("there is no [[finding]]"));
  EXPECT_THAT(complaint("[[finding]]\nid = \"x\"\n"), HasSubstr("x.toml:1: a finding needs"));
  EXPECT_THAT(complaint("[[finding]]\nid = \"a, b\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n"),
              HasSubstr("the id 'a, b' has other signs"));
  EXPECT_THAT(complaint(finding), HasSubstr("'x' has nothing to check"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"joy\", published = 1}]\n"),
              HasSubstr("x.toml:6: there is no figure 'joy'"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"e2e_s\"}]\n"),
              HasSubstr("'published' is missing"));
  EXPECT_THAT(complaint(finding + "level = [{figur = \"e2e_s\"}]\n"),
              HasSubstr("unknown key 'figur'"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"e2e_s\", published = 1, at = {mode = "
                                  "\"z\"}}]\n"),
              HasSubstr("there is no mode 'z'"));
  EXPECT_THAT(complaint(finding + "chnage = []\n"), HasSubstr("unknown key 'chnage'"));
  EXPECT_THAT(
      complaint(finding + "level = [{figure = \"e2e_s\", published = 1, at = {worker = 0}}]\n"),
      HasSubstr("unknown key 'worker'"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"e2e_s\", published = 1, at = {epoch = "
                                  "\"frist\"}}]\n"),
              HasSubstr("no such epoch"));
  EXPECT_THAT(complaint(finding + "front = [{modes = \"ab\", published = \"a\"}]\n"),
              HasSubstr("judged by 'on' and 'off'"));
  EXPECT_THAT(complaint("[modes]\na = [1, 2]\n" + finding), HasSubstr("x.toml:2: a mode is"));
}

}  // namespace
}  // namespace flyball
