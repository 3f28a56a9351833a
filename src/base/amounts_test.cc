#include "base/amounts.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace flyball {
namespace {

TEST(Bytes, AreReadAsTheyAreWritten) {
  EXPECT_EQ(format_bytes(640), "640 B");
  EXPECT_EQ(format_bytes(2e9), "2 GB");
  EXPECT_EQ(format_bytes(999999), "1 MB");
  EXPECT_EQ(format_bytes(1.5e15), "1500 TB");
  for (const double bytes : {1.0, 640.0, 12000.0, 1.234e8, 5e9})
    EXPECT_EQ(parse_bytes(format_bytes(bytes)).value(), bytes);
}

TEST(Bytes, OfMemoryAreInPowersOf1024) {
  EXPECT_EQ(format_memory(0), "0 B");
  EXPECT_EQ(format_memory(999.6), "1.0 KiB");
  EXPECT_EQ(format_memory(99.94 * mebibyte), "99.9 MiB");
  EXPECT_EQ(format_memory(191.3 * mebibyte), "191 MiB");
  EXPECT_EQ(format_memory(30.5 * gibibyte), "30.5 GiB");
  EXPECT_EQ(format_memory(5e6 * gibibyte), "4883 TiB");
}

TEST(Joules, AreWrittenWithFourDigitsAndNoExponent) {
  EXPECT_EQ(format_joules(0.04351), "0.04351 J");
  EXPECT_EQ(format_joules(450.04), "450 J");
  EXPECT_EQ(format_joules(9999.4), "9999 J");
  EXPECT_EQ(format_joules(9999.6), "10 kJ");
  EXPECT_EQ(format_joules(10134), "10.13 kJ");
  EXPECT_EQ(format_joules(1234567), "1235 kJ");
  EXPECT_EQ(format_joules(12345678), "12.35 MJ");
}

}  // namespace
}  // namespace flyball
