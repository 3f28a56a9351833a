#include "data/pictures/detection_collate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "data/formats/coco.h"
#include "data/pictures/picture_collate.h"

namespace flyball {
namespace {

enum Tensor : size_t { kImage, kBox, kClass, kMask };
constexpr float kGrey = 114.0f / 255;  // of the border
constexpr double kTurn = 2 * 3.14159265358979323846;

using Matrix = std::array<std::array<float, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

// What turns hue and scales saturation and brightness: linear in YIQ (NTSC), where hue is an angle
// and saturation a length, and so one matrix for RGB.
Matrix colour_change(double hue, double saturation, double brightness) {
  constexpr Matrix to_yiq = {{{0.299f, 0.587f, 0.114f},
                              {0.595716f, -0.274453f, -0.321263f},
                              {0.211456f, -0.522591f, 0.311135f}}};
  constexpr Matrix to_rgb = {
      {{1, 0.9563f, 0.6210f}, {1, -0.2721f, -0.6474f}, {1, -1.1070f, 1.7046f}}};
  const auto cosine = static_cast<float>(saturation * std::cos(kTurn * hue));
  const auto sine = static_cast<float>(saturation * std::sin(kTurn * hue));
  Matrix change =
      product(to_rgb, product({{{1, 0, 0}, {0, cosine, -sine}, {0, sine, cosine}}}, to_yiq));
  for (auto& row : change)
    for (float& weight : row) weight *= static_cast<float>(brightness);
  return change;
}

// Of the picture within three planes of size × size.
void change_colours(const Matrix& m, const Letterbox& place, int size, float* planes) {
  const size_t plane = static_cast<size_t>(size) * static_cast<size_t>(size);
  for (int y = place.top; y < place.top + place.height; ++y) {
    float* red = planes + static_cast<ptrdiff_t>(y) * size + place.left;
    float *green = red + plane, *blue = green + plane;
    for (int x = 0; x < place.width; ++x) {
      const float r = red[x], g = green[x], b = blue[x];
      red[x] = std::clamp(m[0][0] * r + m[0][1] * g + m[0][2] * b, 0.0f, 1.0f);
      green[x] = std::clamp(m[1][0] * r + m[1][1] * g + m[1][2] * b, 0.0f, 1.0f);
      blue[x] = std::clamp(m[2][0] * r + m[2][1] * g + m[2][2] * b, 0.0f, 1.0f);
    }
  }
}

void fill_border(const Letterbox& place, int size, std::span<float> planes) {
  if (place.width == size && place.height == size) return;
  const int right = place.left + place.width, bottom = place.top + place.height;
  float* row = planes.data();
  for (int channel = 0; channel < 3; ++channel)
    for (int y = 0; y < size; ++y, row += size) {
      const bool outside = y < place.top || y >= bottom;
      std::fill(row, row + (outside ? size : place.left), kGrey);
      if (!outside) std::fill(row + right, row + size, kGrey);
    }
}

struct DetectionScratch final : CollateScratch {
  JpegReader reader;
  Resampler resampler;
  Taps horizontal, vertical;
};

class DetectionCollate final : public Collate {
 public:
  DetectionCollate(const DetectionOptions& options, int64_t most)
      : options_(options), most_(std::max<int64_t>(1, most)) {}

  std::vector<TensorSpec> layout() const override {
    return {{image_tensor, DType::float32, {3, options_.size, options_.size}},
            {box_tensor, DType::float32, {most_, 4}},
            {box_class_tensor, DType::int64, {most_}},
            {box_mask_tensor, DType::boolean, {most_}}};
  }
  std::unique_ptr<CollateScratch> scratch() const override {
    return std::make_unique<DetectionScratch>();
  }

  Status add(const RawSample& sample, uint64_t seed, CollateScratch* scratch,
             BatchBuffer& batch) const override {
    auto& own = *static_cast<DetectionScratch*>(scratch);
    Random random(seed);
    const bool flip = random.uniform() < 0.5 && options_.flip;
    const auto around = [&](double most) { return random.uniform(-most, most); };
    const double hue = around(options_.hue);
    const double saturation = 1 + around(options_.saturation);
    const double brightness = 1 + around(options_.brightness);

    FLYBALL_ASSIGN(const JpegInfo info, own.reader.open(sample.bytes));
    FLYBALL_CHECK(check_detection(info, sample));
    const Letterbox place = letterbox(info.width, info.height, options_.size);
    own.horizontal.make(info.width, place.width, 0, place.width);
    own.vertical.make(info.height, place.height, 0, place.height);
    if (flip) own.horizontal.mirror();
    FLYBALL_ASSIGN(const Pixels pixels, own.reader.read({0, 0, info.width, info.height}));
    const std::span<float> image = batch.row<float>(kImage);
    own.resampler.run(pixels.data, pixels.stride, own.horizontal, own.vertical, sink(place, image));
    fill_border(place, options_.size, image);
    if (jitters())
      change_colours(colour_change(hue, saturation, brightness), place, options_.size,
                     image.data());
    put_boxes(sample, place, flip, batch);
    return {};
  }

  Status finish(BatchBuffer& batch) const override {
    const auto mask = batch.view().values<bool>(box_mask_tensor);
    int64_t longest = 1;
    for (size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) longest = std::max(longest, static_cast<int64_t>(i) % most_ + 1);
    for (const size_t tensor : {kBox, kClass, kMask}) batch.trim(tensor, longest);
    return {};
  }

 private:
  bool jitters() const {
    return options_.hue > 0 || options_.saturation > 0 || options_.brightness > 0;
  }

  // Writes the picture where it stands in the square.
  PlaneSink sink(const Letterbox& place, std::span<float> image) const {
    PlaneSink sink;
    sink.stride = options_.size;
    sink.plane = static_cast<ptrdiff_t>(options_.size) * options_.size;
    sink.planes = image.data() + static_cast<ptrdiff_t>(place.top) * options_.size + place.left;
    sink.scale = {1.0f / 255, 1.0f / 255, 1.0f / 255};
    return sink;
  }

  void put_boxes(const RawSample& sample, const Letterbox& place, bool flip,
                 BatchBuffer& batch) const {
    const auto size = sample.parts.get<int64_t>(CocoSet::picture_size);
    const auto from = sample.parts.get<float>(CocoSet::boxes);
    const auto labels = sample.parts.get<int64_t>(CocoSet::box_class);
    const auto box = batch.row<float>(kBox);
    const auto label = batch.row<int64_t>(kClass);
    const auto mask = batch.row<bool>(kMask);
    const float x = static_cast<float>(place.width) / static_cast<float>(size[0]);
    const float y = static_cast<float>(place.height) / static_cast<float>(size[1]);
    const auto side = static_cast<float>(options_.size);
    for (size_t i = 0; i < mask.size(); ++i) {
      mask[i] = i < labels.size();
      label[i] = mask[i] ? labels[i] : 0;
      float* to = box.data() + 4 * i;
      std::fill(to, to + 4, 0.0f);
      if (!mask[i]) continue;
      const float* own = from.data() + 4 * i;
      to[0] = static_cast<float>(place.left) + own[0] * x;
      to[1] = static_cast<float>(place.top) + own[1] * y;
      to[2] = to[0] + own[2] * x;
      to[3] = to[1] + own[3] * y;
      if (!flip) continue;
      // The picture is mirrored within its place, which may be half a pixel off the middle.
      const float mirror = static_cast<float>(2 * place.left + place.width);
      const float left = mirror - to[2];
      to[2] = mirror - to[0];
      to[0] = left;
    }
    for (float& number : box) number = std::clamp(number, 0.0f, side);
  }

  DetectionOptions options_;
  int64_t most_;
};

Status check_options(const DetectionOptions& options) {
  const auto bad = [](const std::string& what, const std::string& hint) {
    return Error{Code::invalid_argument, what, hint};
  };
  if (options.size < 32 || options.size > 4096 || options.size % 32 != 0)
    return bad(fmt::format("images of {0} × {0} pixels", options.size),
               "give a multiple of 32 from 32 to 4096");
  const auto share = [](double value) { return value >= 0 && value < 1; };
  if (!share(options.hue) || !share(options.saturation) || !share(options.brightness))
    return bad("a colour jitter out of range", "give 0 to below 1");
  return {};
}

}  // namespace

DetectionOptions usual_detection(bool training) {
  if (!training) return {};
  return {.flip = true, .hue = 0.015, .saturation = 0.7, .brightness = 0.4};
}

Status check_detection(const JpegInfo& info, const RawSample& sample) {
  FLYBALL_CHECK(check_colours(info));
  const auto size = sample.parts.get<int64_t>(CocoSet::picture_size);
  if (size[0] != info.width || size[1] != info.height)
    return Error{Code::corrupt,
                 fmt::format("the JPEG has {} × {} pixels, its annotations say {} × {}", info.width,
                             info.height, size[0], size[1]),
                 "its boxes cannot be trusted: fetch it again, or leave it out"};
  return {};
}

Letterbox letterbox(int width, int height, int size) {
  const double scale = static_cast<double>(size) / std::max(width, height);
  const auto side = [&](int length) {
    return std::clamp(static_cast<int>(std::nearbyint(length * scale)), 1, size);
  };
  Letterbox place{side(width), side(height), 0, 0};
  place.left = (size - place.width) / 2;
  place.top = (size - place.height) / 2;
  return place;
}

Result<CollatePtr> make_detection_collate(const Dataset& dataset, const DetectionOptions& options) {
  const std::vector<TensorSpec> parts = dataset.parts();
  if (parts.size() != 3 || parts[CocoSet::boxes].name != "boxes" ||
      parts[CocoSet::box_class].name != box_class_tensor)
    return Error{Code::invalid_argument,
                 "a dataset of kind '" + dataset.kind() + "' holds no boxes",
                 "choose one in COCO's format, such as flyball dataset make coco draws"};
  FLYBALL_CHECK(check_options(options));
  return CollatePtr(std::make_shared<DetectionCollate>(options, parts[CocoSet::boxes].most_rows));
}

Result<CollatePtr> open_detection_collate(const Dataset& dataset, const CollateOptions& options) {
  DetectionOptions usual = usual_detection(options.training);
  if (options.image_size != 0) {
    FLYBALL_CHECK(check_image_size(options.image_size, coarsest_stride));
    usual.size = options.image_size;
  }
  return make_detection_collate(dataset, usual);
}

}  // namespace flyball
