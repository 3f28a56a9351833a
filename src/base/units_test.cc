#include "base/units.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(Units, ReadsWhatPeopleWrite) {
  EXPECT_DOUBLE_EQ(parse_watts("30W")->value, 30);
  EXPECT_DOUBLE_EQ(parse_watts(" 800 mW ")->value, 0.8);
  EXPECT_DOUBLE_EQ(parse_watts("0.03kW")->value, 30);
  EXPECT_DOUBLE_EQ(parse_seconds("10ms")->value, 0.01);
  EXPECT_DOUBLE_EQ(parse_seconds("250us")->value, 250e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5h")->value, 5400);
  EXPECT_DOUBLE_EQ(parse_seconds("5m")->value, 300);
  EXPECT_DOUBLE_EQ(parse_seconds("5min")->value, 300);
  EXPECT_DOUBLE_EQ(parse_joules("2Wh")->value, 7200);
  EXPECT_DOUBLE_EQ(parse_joules("120mWh")->value, 432);
  EXPECT_DOUBLE_EQ(parse_joules("3kJ")->value, 3000);
  EXPECT_DOUBLE_EQ(parse_bytes("64KiB").value(), 65536);
  EXPECT_DOUBLE_EQ(parse_bytes("1MB").value(), 1e6);
  EXPECT_DOUBLE_EQ(parse_bytes("16B").value(), 16);
  EXPECT_DOUBLE_EQ(parse_watts("1e1W")->value, 10);
}

TEST(Units, RefusesTheRestWithAHint) {
  for (const char* wrong :
       {"", "W", "30X", "30 30", "3..0W", "nan", "infW", "W30", "30WW", "1e999"}) {
    const auto watts = parse_watts(wrong);
    ASSERT_FALSE(watts.ok()) << wrong;
    EXPECT_EQ(watts.error().code, Code::invalid_argument);
    EXPECT_THAT(watts.error().message, HasSubstr(std::string("'") + wrong + "' is not a power"));
    EXPECT_THAT(watts.error().hint, HasSubstr("W, mW, kW"));
  }
  EXPECT_FALSE(parse_seconds("10J").ok());
  EXPECT_FALSE(parse_joules("10s").ok());
  EXPECT_FALSE(parse_bytes("10mb").ok());
}

TEST(Units, RefuseABareNumberAndNameTheLikelyTwo) {
  const auto hint_of = [](const auto& result) { return result.ok() ? "" : result.error().hint; };
  EXPECT_EQ(parse_seconds("800").error().message, "'800' has no unit");
  EXPECT_EQ(hint_of(parse_seconds("800")), "say 800ms or 800s");
  EXPECT_EQ(hint_of(parse_seconds(" 0.4 ")), "say 0.4ms or 0.4s");
  EXPECT_EQ(hint_of(parse_watts("30")), "say 30W or 30mW");
  EXPECT_EQ(hint_of(parse_joules("2.5")), "say 2.5J or 2.5kJ");
  EXPECT_EQ(hint_of(parse_bytes("16")), "say 16B or 16KiB");
  EXPECT_FALSE(parse_seconds("0").ok());
  EXPECT_FALSE(parse_seconds("1e308h").ok()) << "no number of seconds";
}

TEST(Units, MultiplyIntoOneAnother) {
  EXPECT_DOUBLE_EQ((Watts{30} * Seconds{2}).value, 60);
  EXPECT_DOUBLE_EQ((Joules{60} / Seconds{2}).value, 30);
  EXPECT_DOUBLE_EQ(Watts{30} / Watts{10}, 3);
  EXPECT_DOUBLE_EQ((Watts{3} + Watts{4} * 2 - Watts{2} / 2).value, 10);
  EXPECT_LT(Watts{3}, Watts{4});
}

TEST(Units, WritesDurationsAsAPersonReadsThem) {
  EXPECT_EQ(format_seconds({250e-6}), "250 us");
  EXPECT_EQ(format_seconds({0.85}), "850 ms");
  EXPECT_EQ(format_seconds({0.0123}), "12.3 ms");
  EXPECT_EQ(format_seconds({12.4}), "12.4 s");
  EXPECT_EQ(format_seconds({310}), "5 min 10 s");
  EXPECT_EQ(format_seconds({3720}), "1 h 2 min");
}

TEST(Units, NeverRoundsADurationIntoTheNextUnit) {
  EXPECT_EQ(format_seconds({0.00099961}), "1 ms");
  EXPECT_EQ(format_seconds({0.9996}), "1 s");
  EXPECT_EQ(format_seconds({59.97}), "1 min 0 s");
  EXPECT_EQ(format_seconds({3599.6}), "1 h 0 min");
}

TEST(Units, WhatMayBeTypedAsALimitIsRoundedUp) {
  EXPECT_EQ(upper_seconds({130.2}), "2 min 11 s");
  EXPECT_EQ(upper_seconds({130 + 1e-9}), "2 min 10 s");
  EXPECT_EQ(upper_seconds({12.41}), "12.5 s");
  EXPECT_EQ(upper_seconds({3721}), "1 h 3 min");
  EXPECT_EQ(limit_seconds({148.61}), "148.61 s");
  EXPECT_EQ(limit_seconds({300}), "5 min 0 s");
  EXPECT_EQ(limit_seconds({3725}), "3725 s");
}

}  // namespace
}  // namespace flyball
