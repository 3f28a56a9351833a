#include "base/figure.h"

#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

TEST(Figure, HasThreeDigitsUnlessItIsLarge) {
  EXPECT_EQ(number(12.4449), "12.4");
  EXPECT_EQ(number(0.00123456, 2), "0.0012");
  EXPECT_EQ(number(123456.7), "123457");
  EXPECT_EQ(number(std::nan("")), "-");
}

// The page says them likewise (web/src/format.test.ts).
TEST(Figure, IsAPowerOfTenWhereItIsTooSmallForDecimals) {
  EXPECT_EQ(number(4e-7), "4e-07");
  EXPECT_EQ(number(1.234e-6), "1.23e-06");
  EXPECT_EQ(number(1.5e-10), "1.5e-10");
  EXPECT_EQ(number(0.00012345), "0.000123");
  EXPECT_EQ(upper_figure(1.23451e-6), "1.235e-06");
  EXPECT_EQ(upper_figure(0.000123451), "0.0001235");
}

TEST(Figure, IsADashWhereNothingIsKnown) {
  EXPECT_EQ(decimals(12.4), "12.40");
  EXPECT_EQ(decimals(std::nan(""), 1), "-");
  EXPECT_EQ(or_dash("W"), "W");
  EXPECT_EQ(or_dash(""), "-");
  EXPECT_EQ(or_dash(std::optional(0.12345), 2, 100), "12");
  EXPECT_EQ(or_dash(std::optional<double>()), "-");
  EXPECT_EQ(or_dash(std::optional(1234567)), "1234567") << "a count has all its digits";
  EXPECT_EQ(or_dash(std::optional<int>()), "-");
}

TEST(Figure, IsRoundedToTheSideThatIsAsked) {
  EXPECT_EQ(rounded(20.3641, 4, true), 20.37);
  EXPECT_EQ(rounded(20.3641, 4, false), 20.36);
  EXPECT_EQ(rounded(14.84, 4, true), 14.84);
  EXPECT_EQ(rounded(14.84, 4, false), 14.84);
  EXPECT_EQ(rounded(9.9996, 4, true), 10);
  EXPECT_EQ(rounded(10.0004, 4, false), 10);
  EXPECT_EQ(rounded(0.0123456, 3, true), 0.0124);
}

// What is printed may be typed as the limit, and does not look broken where it is kept.
TEST(Figure, BesideItsLimitIsRoundedUpButNotBeyondIt) {
  EXPECT_EQ(upper_figure(20.3641), "20.37");
  EXPECT_EQ(upper_figure(20.3641, 4, 30), "20.37");
  EXPECT_EQ(upper_figure(20.3641, 4, 20.365), "20.365");
  EXPECT_EQ(upper_figure(20.3641, 4, 20.364), "20.37") << "which is broken";
  EXPECT_EQ(upper_figure(12.9), "12.9");
  EXPECT_EQ(upper_figure(15034.2), "15035");
  EXPECT_EQ(upper_figure(99.99999, 3), "100");
  EXPECT_EQ(upper_figure(0), "0");
  EXPECT_EQ(upper_figure(std::nan("")), "-");
}

TEST(Figure, ALimitIsAsItWasTyped) {
  EXPECT_EQ(as_typed(1234567), "1234567");
  EXPECT_EQ(as_typed(0.1 + 0.2), "0.3");
  EXPECT_EQ(as_typed(99.95), "99.95");
}

}  // namespace
}  // namespace flyball
