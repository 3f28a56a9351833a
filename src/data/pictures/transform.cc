#include "data/pictures/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

Status check_crop(const TransformOptions& options, const std::array<int, 3>& shape) {
  const auto bad = [](const std::string& what, const std::string& hint) {
    return Error{Code::invalid_argument, what, hint};
  };
  if (options.crop == Crop::keep && (shape[1] == 0 || shape[2] == 0))
    return bad("the pictures differ in size and are not cropped",
               "choose a crop (random_resized or center) and its size");
  if (options.crop == Crop::keep) return {};
  if (options.size < 1 || options.size > 4096)
    return bad(fmt::format("a crop of {0} × {0} pixels", options.size), "give 1 to 4096");
  if (shape[0] != 1 && shape[0] != 3)
    return bad(fmt::format("pictures of {} channels cannot be resized", shape[0]),
               "keep their size");
  const auto rising = [](const std::array<double, 2>& range) {
    return range[0] > 0 && range[0] <= range[1];
  };
  if (!rising(options.scale) || options.scale[1] > 1 || !rising(options.ratio))
    return bad("a range of random boxes that is empty",
               "scale: 0 < low ≤ high ≤ 1; ratio: 0 < low ≤ high");
  return {};
}

}  // namespace

Status check_image_size(int size, int step) {
  if (size >= 32 && size <= 1280 && size % step == 0) return {};
  const std::string of = step == 1 ? "a number" : "a multiple of " + std::to_string(step);
  return Error{Code::invalid_argument, "pictures cannot become " + std::to_string(size) + " wide",
               "give " + of + " from 32 to 1280"};
}

TransformOptions default_transform(const std::string& kind, bool training) {
  TransformOptions options;
  if (kind == "mnist") {
    options.mean = {0.1307f};
    options.deviation = {0.3081f};
  } else if (kind == "cifar10") {
    options.mean = {0.4914f, 0.4822f, 0.4465f};
    options.deviation = {0.2470f, 0.2435f, 0.2616f};
    options.flip = training;
  } else {
    options.crop = training ? Crop::random_resized : Crop::center;
    options.flip = training;
    options.mean = {0.485f, 0.456f, 0.406f};
    options.deviation = {0.229f, 0.224f, 0.225f};
  }
  return options;
}

Box random_box(int width, int height, const TransformOptions& options, Random& random) {
  const double area = static_cast<double>(width) * height;
  const double low = std::log(options.ratio[0]), high = std::log(options.ratio[1]);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * random.uniform(options.scale[0], options.scale[1]);
    const double ratio = std::exp(random.uniform(low, high));
    const double w = std::nearbyint(std::sqrt(target * ratio));
    const double h = std::nearbyint(std::sqrt(target / ratio));
    if (w < 1 || h < 1 || w > width || h > height) continue;
    Box box{0, 0, static_cast<int>(w), static_cast<int>(h)};
    box.top = static_cast<int>(random.below(static_cast<size_t>(height - box.height) + 1));
    box.left = static_cast<int>(random.below(static_cast<size_t>(width - box.width) + 1));
    return box;
  }
  const double shape = static_cast<double>(width) / height;
  Box box{0, 0, width, height};
  if (shape < options.ratio[0])
    box.height = std::clamp(static_cast<int>(std::nearbyint(width / options.ratio[0])), 1, height);
  else if (shape > options.ratio[1])
    box.width = std::clamp(static_cast<int>(std::nearbyint(height * options.ratio[1])), 1, width);
  box.left = (width - box.width) / 2;
  box.top = (height - box.height) / 2;
  return box;
}

Result<Transform> Transform::create(const Dataset& dataset, TransformOptions options) {
  Transform transform;
  const std::array<int, 3> shape = dataset.shape();
  if (shape[0] < 1)
    return Error{Code::invalid_argument,
                 "a dataset of kind '" + dataset.kind() + "' holds no pictures",
                 "choose a dataset of pictures, or a workload for this one"};
  const size_t channels = static_cast<size_t>(shape[0]);
  FLYBALL_ASSIGN(options.mean, per_channel(options.mean, channels, 0, "mean"));
  FLYBALL_ASSIGN(options.deviation, per_channel(options.deviation, channels, 1, "deviation"));
  if (std::count(options.deviation.begin(), options.deviation.end(), 0.0f) > 0)
    return Error{Code::invalid_argument, "a standard deviation of 0 cannot be divided by",
                 "give the standard deviation of the pixel values in 0–1"};
  FLYBALL_CHECK(check_crop(options, shape));
  transform.shape_ = {shape[0], shape[1], shape[2]};
  if (options.crop != Crop::keep) transform.shape_ = {shape[0], options.size, options.size};
  transform.tables_.resize(channels);
  for (size_t c = 0; c < channels; ++c)
    for (size_t v = 0; v < 256; ++v)
      transform.tables_[c][v] =
          (static_cast<float>(v) / 255.0f - options.mean[c]) / options.deviation[c];
  transform.options_ = std::move(options);
  return transform;
}

Status Transform::apply(const RawSample& sample, uint64_t seed, Workspace& workspace,
                        std::span<float> out) const {
  Random random(seed);
  if (sample.encoding == Encoding::jpeg) {
    FLYBALL_CHECK(decode(sample, random, workspace, out));
  } else if (options_.crop != Crop::keep) {
    FLYBALL_CHECK(resize_planes(sample, random, workspace, out));
  } else {
    if (sample.bytes.size() != out.size())
      return Error{Code::corrupt,
                   fmt::format("{} bytes where {} were expected", sample.bytes.size(), out.size()),
                   ""};
    normalise_planes(sample.bytes.data(), options_.flip && random.uniform() < 0.5, out);
  }
  if (options_.cutout > 0) cut_out(random, out);
  return {};
}

// Chooses the part to take, makes the taps for it, and returns the source pixels that they need.
Box Transform::plan(int width, int height, Random& random, Workspace& workspace) const {
  Taps &horizontal = workspace.horizontal, &vertical = workspace.vertical;
  const int size = options_.size;
  Box region{0, 0, width, height};
  if (options_.crop == Crop::random_resized) {
    region = random_box(width, height, options_, random);
    horizontal.make(region.width, size, 0, size);
    vertical.make(region.height, size, 0, size);
  } else if (options_.crop == Crop::center) {
    const int shorter = static_cast<int>(std::nearbyint(size / 0.875));
    const int low = std::min(width, height), high = std::max(width, height);
    const int longer = static_cast<int>(int64_t{shorter} * high / low);
    const int w = width <= height ? shorter : longer, h = width <= height ? longer : shorter;
    horizontal.make(width, w, static_cast<int>(std::nearbyint((w - size) / 2.0)), size);
    vertical.make(height, h, static_cast<int>(std::nearbyint((h - size) / 2.0)), size);
    region = {horizontal.begin, vertical.begin, horizontal.end - horizontal.begin,
              vertical.end - vertical.begin};
  } else {
    horizontal.make(width, width, 0, width);
    vertical.make(height, height, 0, height);
  }
  if (options_.flip && random.uniform() < 0.5) horizontal.mirror();
  return region;
}

PlaneSink Transform::sink(std::span<float> out) const {
  PlaneSink sink;
  sink.planes = out.data();
  sink.channels = static_cast<int>(shape_[0]);
  for (size_t c = 0; c < tables_.size(); ++c) {
    sink.offset[c] = tables_[c][0];
    sink.scale[c] = (tables_[c][255] - tables_[c][0]) / 255;
  }
  return sink;
}

Status Transform::decode(const RawSample& sample, Random& random, Workspace& workspace,
                         std::span<float> out) const {
  FLYBALL_ASSIGN(const JpegInfo info, workspace.reader.open(sample.bytes));
  FLYBALL_CHECK(check_colours(info));
  if (options_.crop == Crop::keep && (info.height != shape_[1] || info.width != shape_[2]))
    return Error{Code::corrupt,
                 fmt::format("the JPEG has {} × {} pixels where {} × {} are expected", info.width,
                             info.height, shape_[2], shape_[1]),
                 "choose a crop"};
  const Box region = plan(info.width, info.height, random, workspace);
  FLYBALL_ASSIGN(const Pixels pixels, workspace.reader.read(region));
  workspace.resampler.run(pixels.data, pixels.stride, workspace.horizontal, workspace.vertical,
                          sink(out));
  return {};
}

Status Transform::resize_planes(const RawSample& sample, Random& random, Workspace& workspace,
                                std::span<float> out) const {
  const auto [channels, height, width] = sample.shape;
  const size_t plane = static_cast<size_t>(height) * static_cast<size_t>(width);
  if (sample.bytes.size() != plane * static_cast<size_t>(channels) || channels != shape_[0])
    return Error{Code::corrupt,
                 fmt::format("{} bytes where {} × {} × {} were expected", sample.bytes.size(),
                             channels, height, width),
                 ""};
  std::vector<uint8_t>& packed = workspace.packed;
  packed.resize(plane * 3);
  for (size_t c = 0; c < 3; ++c) {
    const uint8_t* from = sample.bytes.data() + (channels == 3 ? c * plane : 0);
    for (size_t i = 0; i < plane; ++i) packed[3 * i + c] = from[i];
  }
  const Box region = plan(width, height, random, workspace);
  const size_t stride = static_cast<size_t>(width) * 3;
  workspace.resampler.run(packed.data() + static_cast<size_t>(region.top) * stride +
                              3 * static_cast<size_t>(region.left),
                          stride, workspace.horizontal, workspace.vertical, sink(out));
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
