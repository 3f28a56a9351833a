// From stored bytes to the floats that a network takes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

/// What to do to each sample, in this order.
struct TransformOptions {
  bool flip = false;                  ///< mirror left-right with probability one half
  std::vector<float> mean = {};       ///< per channel, of values in 0–1; one for all; empty: 0
  std::vector<float> deviation = {};  ///< per channel likewise; empty: 1
  int cutout = 0;  ///< side of a square set to 0 after normalising (DeVries, Taylor 2017); 0: none
};

/// The usual values for a kind of dataset; with augmentation for training where it is customary.
TransformOptions default_transform(const std::string& kind, bool training);

/// Decodes, augments and normalises one sample. Has no state: one serves all threads.
class Transform {
 public:
  /// Errors: mean or deviation of another count than the channels, a deviation of 0.
  static Result<Transform> create(const Dataset& dataset, TransformOptions options);

  /// Channels, height, width of what apply() writes.
  std::array<int64_t, 3> shape() const { return shape_; }
  int64_t elements() const { return shape_[0] * shape_[1] * shape_[2]; }

  /// Writes elements() floats. What is random depends on `seed` only.
  Status apply(const RawSample& sample, uint64_t seed, std::span<float> out) const;

 private:
  Transform() = default;
  void normalise_planes(const uint8_t* planes, bool flip, std::span<float> out) const;
  void cut_out(Random& random, std::span<float> out) const;

  TransformOptions options_;
  std::array<int64_t, 3> shape_{};
  std::vector<std::array<float, 256>> tables_;  ///< normalised value of each byte, per channel
};

}  // namespace flyball
