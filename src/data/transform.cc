#include "data/transform.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {
namespace {

// Brings the values for one or all channels to one per channel.
Result<std::vector<float>> per_channel(const std::vector<float>& values, size_t channels,
                                       float otherwise, const char* name) {
  if (values.empty()) return std::vector<float>(channels, otherwise);
  if (values.size() == 1) return std::vector<float>(channels, values[0]);
  if (values.size() == channels) return values;
  return Error{Code::invalid_argument,
               fmt::format("{} values of {} for {} channels", values.size(), name, channels),
               "give one for all channels or one for each"};
}

}  // namespace

TransformOptions default_transform(const std::string& kind, bool training) {
  TransformOptions options;
  if (kind == "mnist") {
    options.mean = {0.1307f};
    options.deviation = {0.3081f};
  } else if (kind == "cifar10") {
    options.mean = {0.4914f, 0.4822f, 0.4465f};
    options.deviation = {0.2470f, 0.2435f, 0.2616f};
    options.flip = training;
  }
  return options;
}

Result<Transform> Transform::create(const Dataset& dataset, TransformOptions options) {
  Transform transform;
  const std::array<int, 3> shape = dataset.shape();
  const size_t channels = static_cast<size_t>(shape[0]);
  FLYBALL_ASSIGN(options.mean, per_channel(options.mean, channels, 0, "mean"));
  FLYBALL_ASSIGN(options.deviation, per_channel(options.deviation, channels, 1, "deviation"));
  if (std::count(options.deviation.begin(), options.deviation.end(), 0.0f) > 0)
    return Error{Code::invalid_argument, "a standard deviation of 0 cannot be divided by",
                 "give the standard deviation of the pixel values in 0–1"};
  transform.shape_ = {shape[0], shape[1], shape[2]};
  transform.tables_.resize(channels);
  for (size_t c = 0; c < channels; ++c)
    for (size_t v = 0; v < 256; ++v)
      transform.tables_[c][v] =
          (static_cast<float>(v) / 255.0f - options.mean[c]) / options.deviation[c];
  transform.options_ = std::move(options);
  return transform;
}

Status Transform::apply(const RawSample& sample, uint64_t seed, std::span<float> out) const {
  Random random(seed);
  const bool flip = options_.flip && random.uniform() < 0.5;
  if (sample.bytes.size() != out.size())
    return Error{Code::corrupt,
                 fmt::format("{} bytes where {} were expected", sample.bytes.size(), out.size()),
                 ""};
  normalise_planes(sample.bytes.data(), flip, out);
  if (options_.cutout > 0) cut_out(random, out);
  return {};
}

void Transform::normalise_planes(const uint8_t* planes, bool flip, std::span<float> out) const {
  const size_t width = static_cast<size_t>(shape_[2]);
  const size_t rows = static_cast<size_t>(shape_[1]);
  float* to = out.data();
  for (const std::array<float, 256>& table : tables_)
    for (size_t row = 0; row < rows; ++row, planes += width, to += width) {
      if (flip)
        for (size_t x = 0; x < width; ++x) to[x] = table[planes[width - 1 - x]];
      else
        for (size_t x = 0; x < width; ++x) to[x] = table[planes[x]];
    }
}

void Transform::cut_out(Random& random, std::span<float> out) const {
  const int64_t height = shape_[1], width = shape_[2], half = options_.cutout / 2;
  const int64_t y = static_cast<int64_t>(random.below(static_cast<size_t>(height)));
  const int64_t x = static_cast<int64_t>(random.below(static_cast<size_t>(width)));
  const int64_t y0 = std::max<int64_t>(0, y - half), y1 = std::min(height, y + half);
  const int64_t x0 = std::max<int64_t>(0, x - half), x1 = std::min(width, x + half);
  for (int64_t c = 0; c < shape_[0]; ++c)
    for (int64_t row = y0; row < y1; ++row) {
      float* line = out.data() + (c * height + row) * width;
      std::fill(line + x0, line + x1, 0.0f);
    }
}

}  // namespace flyball
