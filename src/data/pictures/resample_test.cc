#include "data/pictures/resample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/files.h"
#include "base/json.h"
#include "data/data_testing.h"
#include "data/pictures/jpeg.h"
#include "data/pictures/transform.h"

namespace flyball {
namespace {

std::vector<float> hex_values(const std::string& hex) {
  std::vector<float> values;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    values.push_back(static_cast<float>(std::stoi(hex.substr(i, 2), nullptr, 16)) / 255);
  return values;
}

// What the transforms make of one recorded case, in 0–1.
std::vector<float> ours(const SortedJson& record) {
  RawSample raw;
  raw.encoding = Encoding::jpeg;
  raw.bytes = test_bytes(record["file"]);
  Workspace workspace;
  const int size = record["size"];
  std::vector<float> out(static_cast<size_t>(3 * size * size));
  if (record["box"].is_null()) {
    const auto transform =
        Transform::create(ShapedSet({3, 0, 0}), {.crop = Crop::center, .size = size});
    EXPECT_TRUE(transform->apply(raw, 0, workspace, out).ok());
    return out;
  }
  const Box box{record["box"][0], record["box"][1], record["box"][2], record["box"][3]};
  EXPECT_TRUE(workspace.reader.open(raw.bytes).ok());
  const auto pixels = workspace.reader.read(box);
  EXPECT_TRUE(pixels.ok());
  workspace.horizontal.make(box.width, size, 0, size);
  workspace.vertical.make(box.height, size, 0, size);
  if (record["mirrored"]) workspace.horizontal.mirror();
  PlaneSink sink{out.data()};
  sink.scale = {1 / 255.0f, 1 / 255.0f, 1 / 255.0f};
  workspace.resampler.run(pixels->data, pixels->stride, workspace.horizontal, workspace.vertical,
                          sink);
  return out;
}

TEST(Resample, AgreesWithPillowOnRecordedOutputs) {
  const SortedJson recorded = SortedJson::parse(*read_file(test_file("pillow.json")));
  ASSERT_GE(recorded["cases"].size(), 12u);
  for (const SortedJson& record : recorded["cases"]) {
    const std::vector<float> out = ours(record), want = hex_values(record["pixels"]);
    const int size = record["size"], step = record["step"];
    double sum = 0, worst = 0;
    size_t i = 0;
    for (int y = 0; y < size; y += step)
      for (int x = 0; x < size; x += step)
        for (int c = 0; c < 3; ++c, ++i) {
          const double got = out[static_cast<size_t>((c * size + y) * size + x)];
          sum += std::abs(got - want[i]);
          worst = std::max(worst, std::abs(got - want[i]));
        }
    ASSERT_EQ(i, want.size());
    // The goal is 1/255 on average; ours differs by rounding alone (Pillow rounds twice).
    EXPECT_LT(sum / static_cast<double>(i), 0.4 / 255) << record["file"] << record["box"];
    EXPECT_LT(worst, 2.0 / 255) << record["file"] << record["box"];
  }
}

TEST(Taps, SumToOneAndStayInside) {
  Taps taps;
  for (const auto& [in, out] :
       {std::pair(1, 8), {8, 1}, {3, 7}, {500, 224}, {224, 224}, {9000, 5}}) {
    taps.make(in, out, 0, out);
    for (int i = 0; i < out; ++i) {
      const auto row = taps.weights.begin() + i * taps.taps;
      EXPECT_NEAR(std::accumulate(row, row + taps.taps, 0.0), 1, 1e-5);
      EXPECT_GE(taps.first[static_cast<size_t>(i)], 0);
      EXPECT_LE(taps.first[static_cast<size_t>(i)] + taps.taps, in);
    }
  }
}

TEST(Taps, WithoutScalingTheyCopy) {
  Taps taps;
  taps.make(5, 5, 0, 5);
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < taps.taps; ++k)
      EXPECT_EQ(taps.weights[static_cast<size_t>(i * taps.taps + k)],
                taps.first[static_cast<size_t>(i)] + k == i ? 1 : 0);
}

TEST(Taps, APartEqualsThatPartOfTheWhole) {
  Taps whole, part;
  whole.make(100, 40, 0, 40);
  part.make(100, 40, 13, 9);
  EXPECT_GT(part.begin, 0);
  EXPECT_LT(part.end, 100);
  const auto weight = [](const Taps& taps, int output, int source) {
    const int k = source - taps.first[static_cast<size_t>(output)];
    return k < 0 || k >= taps.taps ? 0.0f
                                   : taps.weights[static_cast<size_t>(output * taps.taps + k)];
  };
  for (int i = 0; i < 9; ++i)
    for (int s = 0; s < 100; ++s) EXPECT_EQ(weight(part, i, s), weight(whole, 13 + i, s));
}

TEST(Resample, AConstantStaysConstant) {
  const std::vector<uint8_t> pixels(3 * 50 * 40, 100);
  Taps horizontal, vertical;
  horizontal.make(50, 33, 0, 33);
  vertical.make(40, 61, 0, 61);
  std::vector<float> out(3 * 33 * 61);
  PlaneSink sink{out.data()};
  sink.scale = {1, 2, 3};
  sink.offset = {0, 1, 2};
  Resampler().run(pixels.data(), 150, horizontal, vertical, sink);
  for (size_t c = 0; c < 3; ++c)
    for (size_t i = 0; i < 33 * 61; ++i)
      ASSERT_NEAR(out[c * 33 * 61 + i], 100.0 * static_cast<double>(c + 1) + static_cast<double>(c),
                  1e-3);
}

}  // namespace
}  // namespace flyball
