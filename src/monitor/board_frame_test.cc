#include "monitor/board_frame.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/json_line.h"
#include "monitor/frame_testing.h"

namespace flyball {
namespace {

TEST(BoardFrame, ALineHoldsAllOfIt) {
  const std::string line = json_line(to_json(full_frame()));
  const auto read = parse_frame(line);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(json_line(to_json(*read)), line);
}

TEST(BoardFrame, WhatIsNotKnownIsNull) {
  const Json json = to_json(BoardFrame());
  EXPECT_TRUE(json["power"]["power_w"].is_null());
  EXPECT_TRUE(json["power"]["total"].is_null());
  EXPECT_TRUE(json["throttled"].is_null());
  const auto read = parse_frame(json_line(json));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->power_w);
  EXPECT_FALSE(read->throttled);
}

TEST(BoardFrame, NothingThrottledIsNotUnknown) {
  BoardFrame frame;
  frame.throttled.emplace();
  const auto read = parse_frame(json_line(to_json(frame)));
  ASSERT_TRUE(read.ok() && read->throttled);
  EXPECT_TRUE(read->throttled->empty());
}

// A changed line, and what its refusal must name.
void expect_refused(const std::function<void(Json&)>& change, const std::string& named) {
  Json json = to_json(full_frame());
  change(json);
  const auto read = parse_frame(json_line(json));
  ASSERT_FALSE(read.ok()) << named;
  EXPECT_NE(read.error().message.find(named), std::string::npos) << read.error().message;
  EXPECT_FALSE(read.error().hint.empty());
}

TEST(BoardFrame, RefusalsNameTheKey) {
  expect_refused([](Json& json) { json["monitor"] = 2; }, "'monitor' is not 1");
  expect_refused([](Json& json) { json.erase("clocks"); }, "clocks is missing");
  expect_refused([](Json& json) { json["power"]["rails"][0]["power_w"] = "much"; },
                 "power.rails[0].power_w is no number");
  expect_refused([](Json& json) { json["power"]["energy_j"] = 1e300; }, "power.energy_j");
  for (const double pid : {1e12, -1e18, 0.5})
    expect_refused([&](Json& json) { json["processes"][0]["pid"] = pid; }, "processes[0].pid");
  expect_refused([](Json& json) { json["processes"][0]["name"] = "a\x1b[2Jb"; },
                 "processes[0].name is no plain line of text");
  expect_refused([](Json& json) { json["mode"]["caps"] = Json::array(); }, "mode.caps");
  expect_refused([](Json& json) { json["held_by"] = std::string(5000, 'x'); }, "held_by");
}

TEST(BoardFrame, OtherTextIsRefused) {
  EXPECT_FALSE(parse_frame("").ok());
  EXPECT_FALSE(parse_frame("[]").ok());
  EXPECT_FALSE(parse_frame("{\"monitor\":1").ok());
  EXPECT_FALSE(parse_frame(std::string(most_frame_bytes + 1, ' ')).ok());
  EXPECT_FALSE(parse_frame(std::string(100'000, '[')).ok());
}

TEST(BoardFrame, TheHottestIsFound) {
  EXPECT_EQ(hottest(BoardFrame()), nullptr);
  EXPECT_EQ(hottest(full_frame())->name, "gpu-thermal");
}

}  // namespace
}  // namespace flyball
