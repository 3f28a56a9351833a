#include "telemetry/sampling/time_stamp.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(TimeStamp, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(parse_time_stamp("1767225600"), 1767225600.0);
  EXPECT_EQ(parse_time_stamp("1767225600500"), 1767225600.5);
  EXPECT_EQ(parse_time_stamp("2026-01-01T00:00:00Z"), 1767225600.0);
  EXPECT_EQ(parse_time_stamp(" 2026-01-01 00:00:00 "), 1767225600.0);
  EXPECT_EQ(parse_time_stamp("2026/01/01 01:00:00+01:00"), 1767225600.0);
  EXPECT_EQ(parse_time_stamp("2025-12-31T19:00:00-0500"), 1767225600.0);
  EXPECT_EQ(parse_time_stamp("2026-01-01 02:00:00", 7200), 1767225600.0);
  EXPECT_NEAR(*parse_time_stamp("2026-01-01T00:00:00.125Z"), 1767225600.125, 1e-6);
  EXPECT_NEAR(*parse_time_stamp("2026-01-01 00:00:00,5"), 1767225600.5, 1e-6);
  EXPECT_NEAR(*parse_time_stamp("2026-01-01T01:00:00.1234567890 +01:00"), 1767225600.123456, 1e-6);
  EXPECT_EQ(parse_time_stamp("1970-01-01T00:00:00Z"), 0.0);
  EXPECT_EQ(parse_time_stamp("2024-02-29T12:00:00Z"), 1709208000.0);
  for (const char* text : {"",
                           "yesterday",
                           "-5",
                           "nan",
                           "inf",
                           "1e300",
                           "2026-13-01 00:00:00",
                           "2026-01-01",
                           "2026-01-01 25:00:00",
                           "2026-01-01T00:00:00X",
                           "2026-01-01T00:00:00+1",
                           "2026-01/01 00:00:00",
                           "2026-02-30 12:00:00",
                           "2025-02-29T12:00:00Z",
                           "2026-01-01T00:00:00Z+01:00",
                           "2026-01-01T00:00:00.5x",
                           "2026-01-01T00:60:00",
                           "2074-11-15T08:38:0915-2-452",
                           "2026-01-01T00:00:00-2-45",
                           "2026-01-01T00:00:00+01:0x",
                           "6-03-01T12time_sZ",
                           "2026-3-1T9:05:00",
                           "2026-01-01T00:00:00."})
    EXPECT_FALSE(parse_time_stamp(text)) << text;
}

}  // namespace
}  // namespace flyball
