// One minibatch in host memory, as it passes from the loader to the training step.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace flyball {

/// A view of samples and labels; valid until its owner (the loader) is asked for the next one.
struct BatchView {
  std::span<const float> samples;   ///< count × channels × height × width, row-major (NCHW)
  std::span<const int64_t> labels;  ///< count
  std::array<int64_t, 3> shape{};   ///< channels, height, width

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
};

}  // namespace flyball
