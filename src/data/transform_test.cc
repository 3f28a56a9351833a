#include "data/transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ShapeOnly final : public Dataset {
 public:
  explicit ShapeOnly(std::array<int, 3> shape) : shape_(shape) {}
  std::string kind() const override { return "shape"; }
  int64_t size() const override { return 1; }
  int64_t classes() const override { return 1; }
  std::array<int, 3> shape() const override { return shape_; }
  Status fetch(int64_t, RawSample&) const override { return {}; }
  std::string name(int64_t) const override { return "sample"; }
  std::vector<std::filesystem::path> files() const override { return {}; }

 private:
  std::array<int, 3> shape_;
};

std::vector<float> apply(const Transform& transform, std::vector<uint8_t> bytes, uint64_t seed) {
  RawSample raw;
  raw.bytes = std::move(bytes);
  std::vector<float> out(static_cast<size_t>(transform.elements()));
  const Status status = transform.apply(raw, seed, out);
  EXPECT_TRUE(status.ok());
  return out;
}

TEST(Transform, NormalisesEachChannel) {
  const auto transform =
      Transform::create(ShapeOnly({2, 1, 2}), {.mean = {0, 1}, .deviation = {1, 0.5f}});
  EXPECT_THAT(apply(*transform, {0, 255, 0, 255}, 1), ElementsAre(0, 1, -2, 0));
}

TEST(Transform, FlipsHalfOfTheSamples) {
  const auto transform = Transform::create(ShapeOnly({1, 2, 2}), {.flip = true});
  int flipped = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const auto out = apply(*transform, {0, 255, 0, 0}, mix_seed(seed));
    EXPECT_TRUE(out == std::vector<float>({0, 1, 0, 0}) || out == std::vector<float>({1, 0, 0, 0}));
    flipped += out[0] == 1;
  }
  EXPECT_NEAR(flipped, 500, 60);
}

TEST(Transform, CutoutClearsASquareThatMayHangOver) {
  const auto transform = Transform::create(ShapeOnly({2, 8, 8}), {.cutout = 4});
  size_t most = 0, least = 64;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto out = apply(*transform, std::vector<uint8_t>(128, 255), mix_seed(seed));
    const auto half = out.begin() + 64;
    EXPECT_TRUE(std::equal(out.begin(), half, half));
    const size_t cleared = static_cast<size_t>(std::count(out.begin(), half, 0.0f));
    most = std::max(most, cleared), least = std::min(least, cleared);
  }
  EXPECT_EQ(most, 16u);
  EXPECT_EQ(least, 4u);
}

TEST(Transform, RefusesWrongCounts) {
  const auto wrong = Transform::create(ShapeOnly({3, 2, 2}), {.mean = {0, 0}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("2 values of mean for 3 channels"));
  EXPECT_FALSE(Transform::create(ShapeOnly({1, 2, 2}), {.deviation = {0}}).ok());
}

TEST(Transform, ASampleOfAnotherSizeIsAnError) {
  const auto transform = Transform::create(ShapeOnly({1, 2, 2}), {});
  RawSample raw;
  raw.bytes.resize(5);
  std::vector<float> out(4);
  EXPECT_FALSE(transform->apply(raw, 0, out).ok());
}

}  // namespace
}  // namespace flyball
