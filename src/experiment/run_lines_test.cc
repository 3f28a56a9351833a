#include "experiment/run_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "experiment/run_figures_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(RunLines, ReadsBackWhatItWrote) {
  const std::string text = run_line(some_run(0)) + run_line(some_run(2));
  const auto runs = parse_run_lines(text, "runs.jsonl");
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs->size(), 2u);
  for (const int i : {0, 1})
    EXPECT_EQ(run_json((*runs)[static_cast<size_t>(i)]), run_json(some_run(2 * i)));
  EXPECT_TRUE(parse_run_lines("", "nothing")->empty());
}

TEST(RunLines, ALineThatWasCutOffIsLeftOut) {
  const std::string one = run_line(some_run(0));
  EXPECT_EQ(parse_run_lines(one + R"({"settings": {"workload": "len)", "cut")->size(), 1u);
  EXPECT_EQ(parse_run_lines(one.substr(0, one.size() - 1), "whole")->size(), 1u);
}

TEST(RunLines, ABrokenLineIsNamed) {
  const auto complaint = [](const std::string& text) {
    const auto runs = parse_run_lines(text, "results.jsonl");
    return runs.ok() ? "accepted" : runs.error().message;
  };
  EXPECT_THAT(complaint("nonsense\n"), HasSubstr("results.jsonl:1: this is no JSON"));
  EXPECT_THAT(complaint(run_line(some_run(0)) + "{}\n"),
              HasSubstr("results.jsonl:2: this is no run"));
  auto json = run_json(some_run(0));
  json["settings"]["workers"] = -3;
  EXPECT_THAT(complaint(json.dump() + "\n"), HasSubstr("workers cannot be -3"));
  json = run_json(some_run(0));
  json["epochs"] = Json::array();
  EXPECT_THAT(complaint(json.dump() + "\n"), HasSubstr("a run without epochs"));
}

}  // namespace
}  // namespace flyball
