// From stored bytes to the floats that a network takes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "data/dataset.h"
#include "data/pictures/jpeg.h"
#include "data/pictures/resample.h"

namespace flyball {

/// Which part of a picture is taken, and scaled to size × size.
enum class Crop {
  keep,            ///< all of it, as it is
  random_resized,  ///< a random box (torchvision's RandomResizedCrop)
  center,          ///< the middle of the picture whose shorter side is size / 0.875 (256 for 224)
};

/// What to do to each sample, in this order.
struct TransformOptions {
  Crop crop = Crop::keep;
  int size = 224;                                 ///< side of the cropped result
  std::array<double, 2> scale{0.08, 1.0};         ///< random box: share of the area
  std::array<double, 2> ratio{3.0 / 4, 4.0 / 3};  ///< random box: width / height
  bool flip = false;                              ///< mirror left-right, probability one half
  std::vector<float> mean = {};       ///< per channel, of values in 0–1; one for all; empty: 0
  std::vector<float> deviation = {};  ///< per channel likewise; empty: 1
  int cutout = 0;  ///< side of a square set to 0 after normalising (DeVries, Taylor 2017); 0: none
};

/// What a thread needs to apply transforms; its buffers grow to the largest picture and stay.
struct Workspace {
  JpegReader reader;
  Resampler resampler;
  Taps horizontal, vertical;
  std::vector<uint8_t> packed;
};

/// Is it a side of pictures that a network takes: 32 to 1280, a multiple of `step`?
Status check_image_size(int size, int step);

/// The usual values for a kind of dataset; with augmentation for training where it is customary.
TransformOptions default_transform(const std::string& kind, bool training);

/// Decodes, augments and normalises one sample. Has no state: one serves all threads.
class Transform {
 public:
  /// Errors: a dataset without pictures, mean or deviation of another count than the channels, a
  /// deviation of 0, pictures that differ in size and are not cropped.
  static Result<Transform> create(const Dataset& dataset, TransformOptions options);

  /// Channels, height, width of what apply() writes.
  std::array<int64_t, 3> shape() const { return shape_; }
  int64_t elements() const { return shape_[0] * shape_[1] * shape_[2]; }

  /// Writes elements() floats. What is random depends on `seed` only. Errors (a JPEG that cannot be
  /// decoded, another count of channels) do not name the sample: the caller knows it.
  Status apply(const RawSample& sample, uint64_t seed, Workspace& workspace,
               std::span<float> out) const;

 private:
  Transform() = default;
  Status decode(const RawSample& sample, Random& random, Workspace& workspace,
                std::span<float> out) const;
  Status resize_planes(const RawSample& sample, Random& random, Workspace& workspace,
                       std::span<float> out) const;
  Box plan(int width, int height, Random& random, Workspace& workspace) const;
  PlaneSink sink(std::span<float> out) const;
  void normalise_planes(const uint8_t* planes, bool flip, std::span<float> out) const;
  void cut_out(Random& random, std::span<float> out) const;

  TransformOptions options_;
  std::array<int64_t, 3> shape_{};
  std::vector<std::array<float, 256>> tables_;  ///< normalised value of each byte, per channel
};

/// The box of torchvision's RandomResizedCrop: ten attempts at a random area and aspect ratio, then
/// the largest box in the middle with an allowed ratio.
Box random_box(int width, int height, const TransformOptions& options, Random& random);

}  // namespace flyball
