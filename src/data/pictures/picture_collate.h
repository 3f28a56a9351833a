// Minibatches of classified pictures: "image" (float32, C×H×W) and "label" (int64).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "data/collate.h"
#include "data/pictures/transform.h"

namespace flyball {

inline constexpr const char* image_tensor = "image";
inline constexpr const char* label_tensor = "label";

/// Pictures as the transform gives them.
CollatePtr make_picture_collate(Transform transform);
/// With the usual transform of the kind of dataset. Errors: those of Transform::create().
Result<CollatePtr> open_picture_collate(const Dataset& dataset, const CollateOptions& options);

/// Such a minibatch over memory of the caller's; without labels when those are empty.
class PictureBatch {
 public:
  /// `shape`: channels, height, width.
  PictureBatch(std::span<const float> images, std::span<const int64_t> labels, TensorShape shape);
  BatchView view() const { return {{tensors_.data(), count_}, samples_}; }

 private:
  std::array<TensorView, 2> tensors_;
  size_t count_;
  int64_t samples_;
};

}  // namespace flyball
