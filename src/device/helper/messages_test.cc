#include "device/helper/messages.h"

#include <gmock/gmock.h>

#include <limits>

namespace flyball {
namespace {

using testing::HasSubstr;
using Kind = HelperRequest::Kind;

TEST(HelperMessages, RequestsReadAsTheyWereWritten) {
  for (int kind = 0; kind <= static_cast<int>(Kind::alive); ++kind) {
    HelperRequest request{static_cast<Kind>(kind)};
    if (request.kind == Kind::apply) request.mode = {{{"cpu_mhz", 729.6}, {"gpu_mhz", 0.1 + 0.2}}};
    if (request.kind == Kind::preset) request.preset = "MODE_15W";
    std::string line = helper_request_line(request);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    const auto read = parse_helper_request(line);
    ASSERT_TRUE(read.ok()) << line;
    EXPECT_EQ(read->kind, request.kind);
    EXPECT_EQ(read->mode, request.mode);
    EXPECT_EQ(read->preset, request.preset);
  }
}

TEST(HelperMessages, NothingButAModeIsTakenFromAClient) {
  const char* const bad[] = {"",
                             "1",
                             "[]",
                             "{}",
                             "null",
                             "{\"flyball\":1}",
                             R"({"flyball":"1","do":"claim"})",
                             R"({"flyball":1.5,"do":"claim"})",
                             R"({"flyball":1,"do":1})",
                             R"({"flyball":1,"do":"exec"})",
                             R"({"flyball":1,"do":"claim","path":"/etc"})",
                             R"({"flyball":1,"do":"claim","mode":{}})",
                             R"({"flyball":1,"do":"apply"})",
                             R"({"flyball":1,"do":"apply","mode":[]})",
                             R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":null}})",
                             R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":true}})",
                             R"({"flyball":1,"do":"apply","mode":{"../cpu":1}})",
                             R"({"flyball":1,"do":"apply","mode":{"":1}})",
                             R"({"flyball":1,"do":"apply","mode":{"A":1}})",
                             R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":1},"environment":{}})",
                             R"({"flyball":1,"do":"claim"} {"flyball":1,"do":"claim"})"};
  for (const char* line : bad) {
    const auto read = parse_helper_request(line);
    ASSERT_FALSE(read.ok()) << line;
    EXPECT_EQ(read.error().code, Code::invalid_argument);
    EXPECT_FALSE(read.error().hint.empty());
    EXPECT_EQ(read.error().message.find("exec"), std::string::npos);  // nothing of it is echoed
  }
  std::string many = R"({"flyball":1,"do":"apply","mode":{"a0":0)";
  for (int i = 1; i < 17; ++i) many += ",\"a" + std::to_string(i) + "\":0";
  EXPECT_FALSE(parse_helper_request(many + "}}").ok());
  EXPECT_FALSE(parse_helper_request(R"({"flyball":1,"do":"claim"})" + std::string(5000, ' ')).ok());
}

TEST(HelperMessages, RepliesReadAsTheyWereWritten) {
  EXPECT_TRUE(parse_helper_done(helper_done_line()).ok());
  const Error error{Code::conflict, "held by \"him\"\n", "wait"};
  const Status refused = parse_helper_done(helper_error_line(error));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_EQ(refused.error().message, error.message);
  EXPECT_EQ(refused.error().hint, "wait");
  HelperBoard board;
  board.version = "1.2";
  board.root = "/tree";
  board.axes = {named_axis("gpu_mhz", {114.75, 1300.5}), named_axis("cpu_cores", {1, 2})};
  board.baseline = {{{"gpu_mhz", 1300.5}}};
  board.caps = {{{"gpu_mhz", 612}}};
  board.stays_at = {{"gpu_mhz", 612}};
  board.gaps = {"no \xff memory clock"};
  board.cannot_keep = error;
  board.holder = "process 1";
  const auto read = parse_helper_board(helper_board_line(board));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->root, "/tree");
  ASSERT_EQ(read->axes.size(), 2u);
  EXPECT_EQ(read->axes[0].unit, "MHz");
  EXPECT_EQ(read->axes[0].values, board.axes[0].values);
  EXPECT_EQ(read->baseline, board.baseline);
  EXPECT_EQ(read->caps, board.caps);
  EXPECT_EQ(read->stays_at, board.stays_at);
  EXPECT_THAT(read->gaps[0], HasSubstr("memory clock"));
  EXPECT_EQ(read->cannot_keep->message, error.message);
  EXPECT_EQ(read->holder, "process 1");
  EXPECT_EQ(parse_helper_board(helper_error_line(error)).error().code, Code::conflict);
}

TEST(HelperMessages, WhatIsNoReplyIsCorrupt) {
  for (const char* line : {"", "{}", "[1]", R"({"flyball":1})", R"({"flyball":1,"ok":false})",
                           R"({"flyball":2,"ok":true})", R"({"flyball":1,"ok":"yes"})",
                           R"({"flyball":1,"ok":false,"error":{"code":1}})"}) {
    EXPECT_EQ(parse_helper_done(line).error().code, Code::corrupt) << line;
    EXPECT_EQ(parse_helper_board(line).error().code, Code::corrupt) << line;
  }
  EXPECT_EQ(parse_helper_board(R"({"flyball":1,"ok":true})").error().code, Code::corrupt);
}

TEST(HelperMessages, LinesComeInPiecesAndHaveALimit) {
  LineBuffer buffer(5);
  EXPECT_FALSE(buffer.half());
  buffer.add("ab");
  EXPECT_TRUE(buffer.half());
  EXPECT_FALSE(buffer.take());
  buffer.add("c\n\n12345");
  EXPECT_EQ(buffer.take(), "abc");
  EXPECT_EQ(buffer.take(), "");
  EXPECT_FALSE(buffer.take());
  EXPECT_FALSE(buffer.too_long());
  buffer.add("6");
  EXPECT_TRUE(buffer.too_long());  // without waiting for its end
  LineBuffer whole(5);
  whole.add("12345\n");
  EXPECT_FALSE(whole.too_long());
  EXPECT_EQ(whole.take(), "12345");
  EXPECT_FALSE(whole.half());
}

TEST(HelperMessages, AModeIsCheckedAgainstTheListsOfTheBoard) {
  const std::vector<Axis> axes = {named_axis("cpu_mhz", {115.2, 729.6})};
  EXPECT_TRUE(check_mode(axes, {}).ok());
  EXPECT_TRUE(check_mode(axes, {{{"cpu_mhz", 729.6}}}).ok());
  for (const double value : {0.0, -729.6, 729.7, 1e308, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(check_mode(axes, {{{"cpu_mhz", value}}}).error().hint, HasSubstr("the nearest"));
  EXPECT_THAT(check_mode(axes, {{{"cpu_mhz", 729.6}, {"fan", 1}}}).error().message,
              HasSubstr("no axis 'fan'"));
}

}  // namespace
}  // namespace flyball
