#include "compare/ratio.h"

#include <gtest/gtest.h>

#include <vector>

namespace flyball {
namespace {

Ratio of(std::vector<double> ratios) {
  return *mean_ratio(ratios);
}

TEST(Ratio, IsTheGeometricMean) {
  const Ratio ratio = of({2, 8});
  EXPECT_DOUBLE_EQ(ratio.mean, 4);
  EXPECT_EQ(ratio.least, 2);
  EXPECT_EQ(ratio.most, 8);
  EXPECT_EQ(ratio.networks, 2u);
  EXPECT_FALSE(mean_ratio({}));
}

TEST(Ratio, IsSaidAsPeopleSayIt) {
  EXPECT_EQ(speed_words(of({2, 8}), "B"),
            "4 × as fast as B (geometric mean over 2 networks, 2 to 8)");
  EXPECT_EQ(speed_words(of({3.456}), ""), "3.5 × as fast");
  EXPECT_EQ(speed_words(of({1.004}), "B"), "as fast as B");
  EXPECT_EQ(speed_words(of({0.996}), "B"), "as fast as B");
}

TEST(Ratio, OfASlowerBoardSaysHowMuchLongerItTakes) {
  EXPECT_EQ(speed_words(of({0.5, 0.125}), "B"),
            "takes 4 × as long as B (geometric mean over 2 networks, 2 to 8)");
}

TEST(Ratio, FromThirtyOnIsInOrdersOfMagnitude) {
  EXPECT_EQ(speed_words(of({1 / 29.4}), "B"), "takes 29 × as long as B");
  EXPECT_EQ(speed_words(of({1 / 30.1}), "B"), "two orders of magnitude slower than B (30 ×)");
  EXPECT_EQ(speed_words(of({1 / 105.0}), ""), "two orders of magnitude slower (105 ×)");
  EXPECT_EQ(speed_words(of({299}), "B"), "two orders of magnitude faster than B (299 ×)");
  EXPECT_EQ(speed_words(of({301}), "B"), "three orders of magnitude faster than B (301 ×)");
}

}  // namespace
}  // namespace flyball
