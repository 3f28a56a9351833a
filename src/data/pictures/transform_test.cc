#include "data/pictures/transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "data/data_testing.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> apply(const Transform& transform, std::vector<uint8_t> bytes, uint64_t seed) {
  RawSample raw;
  raw.bytes = std::move(bytes);
  std::vector<float> out(static_cast<size_t>(transform.elements()));
  Workspace workspace;
  const Status status = transform.apply(raw, seed, workspace, out);
  EXPECT_TRUE(status.ok());
  return out;
}

TEST(Transform, NormalisesEachChannel) {
  const auto transform =
      Transform::create(ShapedSet({2, 1, 2}), {.mean = {0, 1}, .deviation = {1, 0.5f}});
  EXPECT_THAT(apply(*transform, {0, 255, 0, 255}, 1), ElementsAre(0, 1, -2, 0));
}

TEST(Transform, FlipsHalfOfTheSamples) {
  const auto transform = Transform::create(ShapedSet({1, 2, 2}), {.flip = true});
  int flipped = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const auto out = apply(*transform, {0, 255, 0, 0}, mix_seed(seed));
    EXPECT_TRUE(out == std::vector<float>({0, 1, 0, 0}) || out == std::vector<float>({1, 0, 0, 0}));
    flipped += out[0] == 1;
  }
  EXPECT_NEAR(flipped, 500, 60);
}

TEST(Transform, CutoutClearsASquareThatMayHangOver) {
  const auto transform = Transform::create(ShapedSet({2, 8, 8}), {.cutout = 4});
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
  const auto wrong = Transform::create(ShapedSet({3, 2, 2}), {.mean = {0, 0}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("2 values of mean for 3 channels"));
  EXPECT_FALSE(Transform::create(ShapedSet({1, 2, 2}), {.deviation = {0}}).ok());
}

TEST(Transform, ASampleOfAnotherSizeIsAnError) {
  const auto transform = Transform::create(ShapedSet({1, 2, 2}), {});
  RawSample raw;
  raw.bytes.resize(5);
  std::vector<float> out(4);
  Workspace workspace;
  EXPECT_FALSE(transform->apply(raw, 0, workspace, out).ok());
}

RawSample jpeg_sample(const std::string& file) {
  RawSample raw;
  raw.encoding = Encoding::jpeg;
  raw.bytes = test_bytes(file);
  return raw;
}

std::string transform_error(const TransformOptions& options, const std::string& file) {
  const auto transform = Transform::create(ShapedSet({3, 0, 0}), options);
  if (!transform.ok()) return transform.error().message;
  Workspace workspace;
  std::vector<float> out(static_cast<size_t>(transform->elements()));
  const Status status = transform->apply(jpeg_sample(file), 1, workspace, out);
  return status.ok() ? "" : status.error().message;
}

TEST(Transform, GreyPicturesAreTakenAsColourOthersRefused) {
  const TransformOptions options{.crop = Crop::random_resized, .size = 16};
  EXPECT_EQ(transform_error(options, "odd.jpg"), "");
  EXPECT_EQ(transform_error(options, "grey.jpg"), "");
  EXPECT_THAT(transform_error(options, "cmyk.jpg"), HasSubstr("4 colour channels where 3"));
}

TEST(Transform, RefusesCropsThatCannotBe) {
  EXPECT_THAT(transform_error({}, "odd.jpg"), HasSubstr("differ in size"));
  EXPECT_THAT(transform_error({.crop = Crop::center, .size = 0}, "odd.jpg"), HasSubstr("0 × 0"));
  EXPECT_THAT(transform_error({.crop = Crop::random_resized, .scale = {0.5, 0.1}}, "odd.jpg"),
              HasSubstr("empty"));
}

TEST(Transform, ARandomCropOfAJpegIsTheResampledBox) {
  const TransformOptions options{
      .crop = Crop::random_resized, .size = 20, .mean = {0.5f}, .deviation = {0.25f}};
  const auto transform = Transform::create(ShapedSet({3, 0, 0}), options);
  const RawSample raw = jpeg_sample("odd.jpg");
  Workspace workspace;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<float> out(3 * 20 * 20), want(out.size());
    ASSERT_TRUE(transform->apply(raw, seed, workspace, out).ok());
    Random random(seed);
    const Box box = random_box(121, 97, options, random);
    Taps horizontal, vertical;
    horizontal.make(box.width, 20, 0, 20);
    vertical.make(box.height, 20, 0, 20);
    ASSERT_TRUE(workspace.reader.open(raw.bytes).ok());
    const auto pixels = workspace.reader.read(box);
    Resampler().run(pixels->data, pixels->stride, horizontal, vertical, {want.data()});
    for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], (want[i] / 255 - 0.5) / 0.25, 1e-4);
  }
}

TEST(Transform, PlanesAreCroppedLikeJpegs) {
  // A ramp from left to right stays one under any crop, and falls when mirrored.
  std::vector<uint8_t> ramp(3 * 32 * 32);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<uint8_t>(7 * (i % 32));
  RawSample raw;
  raw.bytes = ramp;
  raw.shape = {3, 32, 32};
  const auto transform = Transform::create(
      ShapedSet({3, 32, 32}), {.crop = Crop::random_resized, .size = 24, .flip = true});
  EXPECT_EQ(transform->shape(), (std::array<int64_t, 3>{3, 24, 24}));
  Workspace workspace;
  std::vector<float> out(3 * 24 * 24);
  int rising = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    ASSERT_TRUE(transform->apply(raw, mix_seed(seed), workspace, out).ok());
    const bool up = out[0] < out[23];
    rising += up;
    for (size_t i = 0; i + 1 < out.size(); ++i) {
      if (i % 24 == 23) continue;  // the end of a row
      ASSERT_TRUE(up ? out[i] <= out[i + 1] : out[i] >= out[i + 1]);
    }
  }
  EXPECT_NEAR(rising, 50, 20);
}

TEST(Transform, RandomBoxesKeepToScaleAndRatio) {
  const TransformOptions options;
  Random random(1);
  double area = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Box box = random_box(500, 375, options, random);
    ASSERT_GE(box.left, 0);
    ASSERT_GE(box.top, 0);
    ASSERT_LE(box.left + box.width, 500);
    ASSERT_LE(box.top + box.height, 375);
    const double ratio = static_cast<double>(box.width) / box.height;
    ASSERT_GT(ratio, 0.74);
    ASSERT_LT(ratio, 1.35);
    area += box.width * box.height / 187'500.0 / 20'000;
  }
  // Boxes that do not fit are drawn again, so the mean is below 0.54: 20,000 calls of torchvision
  // 0.14's RandomResizedCrop.get_params on such an image gave 0.4338.
  EXPECT_NEAR(area, 0.4338, 0.006);
}

TEST(Transform, ABoxThatNeverFitsBecomesTheMiddle) {
  Random random(1);
  EXPECT_EQ(random_box(1000, 10, {}, random), (Box{493, 0, 13, 10}));
  EXPECT_EQ(random_box(10, 1000, {}, random), (Box{0, 493, 10, 13}));
  EXPECT_EQ(random_box(1, 1, {}, random), (Box{0, 0, 1, 1}));
}

TEST(Transform, DefaultsFitTheirKinds) {
  EXPECT_EQ(default_transform("mnist", true).crop, Crop::keep);
  EXPECT_EQ(default_transform("images", true).crop, Crop::random_resized);
  EXPECT_EQ(default_transform("gld23k", false).crop, Crop::center);
  EXPECT_FALSE(default_transform("cifar10", false).flip);
}

}  // namespace
}  // namespace flyball
