#include "data/makers/digits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_set>

#include "base/files.h"
#include "data/data_testing.h"
#include "data/formats/idx.h"

namespace flyball {
namespace {

TEST(Digits, DependOnTheirArgumentsOnly) {
  DigitImage a, b;
  const int label = draw_digit(1, Split::train, 17, a);
  EXPECT_EQ(draw_digit(1, Split::train, 17, b), label);
  EXPECT_EQ(a, b);
  draw_digit(1, Split::test, 17, b);
  EXPECT_NE(a, b);
  draw_digit(2, Split::train, 17, b);
  EXPECT_NE(a, b);
}

TEST(Digits, NoTwoAlike) {
  std::unordered_set<std::string> seen;
  DigitImage image;
  for (const Split split : {Split::train, Split::test})
    for (int64_t i = 0; i < (split == Split::train ? 60'000 : 10'000); ++i) {
      draw_digit(1, split, i, image);
      // A smoothed and coarsened image must differ too: noise alone is no difference.
      std::string coarse;
      for (size_t p = 0; p + 1 < image.size(); p += 2)
        coarse += static_cast<char>((image[p] + image[p + 1]) / 64);
      EXPECT_TRUE(seen.insert(coarse).second) << "sample " << i;
    }
}

TEST(Digits, LabelsAreBalancedAndInkIsInTheMiddle) {
  std::array<int, 10> count{};
  DigitImage image;
  double border = 0, middle = 0;
  for (int64_t i = 0; i < 5000; ++i) {
    ++count[static_cast<size_t>(draw_digit(1, Split::train, i, image))];
    for (size_t x = 0; x < 28; ++x) border += image[x];
    for (size_t x = 0; x < 28; ++x) middle += image[14 * 28 + x];
  }
  EXPECT_GT(*std::min_element(count.begin(), count.end()), 400);
  EXPECT_LT(*std::max_element(count.begin(), count.end()), 600);
  EXPECT_GT(middle, 8 * border);
}

TEST(Digits, FilesDoNotDependOnTheThreads) {
  const TemporaryFolder one, three;
  ASSERT_TRUE(make_digits(one.path(), {.train = 1000, .test = 300, .threads = 1}).ok());
  ASSERT_TRUE(make_digits(three.path(), {.train = 1000, .test = 300, .threads = 3}).ok());
  for (const char* name : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                           "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"})
    EXPECT_EQ(*read_file(one.path() / name), *read_file(three.path() / name)) << name;
  const auto set = open_idx(three.path(), Split::test);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ((*set)->size(), 300);
  RawSample sample;
  DigitImage image;
  ASSERT_TRUE((*set)->fetch(299, sample).ok());
  EXPECT_EQ(sample.label, draw_digit(1, Split::test, 299, image));
  EXPECT_TRUE(std::equal(image.begin(), image.end(), sample.bytes.begin()));
}

TEST(Digits, RefusesAnEmptySet) {
  EXPECT_FALSE(make_digits("/nonexistent", {.train = 0}).ok());
}

TEST(Digits, SaysWhereItCannotWrite) {
  const Status status = make_digits("/proc/nowhere", {.train = 1, .test = 1});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, ::testing::HasSubstr("/proc/nowhere"));
}

}  // namespace
}  // namespace flyball
