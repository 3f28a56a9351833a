// A minibatch for a detector: noise with boxes anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "data/pictures/detection_collate.h"
#include "data/pictures/picture_collate.h"

namespace flyball {

/// Eight boxes of 5 to 40 % of the side on each picture.
class DetectorBatch {
 public:
  DetectorBatch(const TensorShape& image, int64_t classes, int64_t samples)
      : samples_(samples), mask_(new bool[static_cast<size_t>(samples * most)]) {
    Random random(1);
    const auto side = static_cast<double>(image[1]);
    for (int64_t i = 0; i < samples * image.elements(); ++i)
      pixels_.push_back(static_cast<float>(random.normal()));
    for (int64_t i = 0; i < samples * most; ++i) {
      const double size = random.uniform(0.05, 0.4) * side;
      const double left = random.uniform(0, side - size), top = random.uniform(0, side - size);
      for (const double number : {left, top, left + size, top + size})
        boxes_.push_back(static_cast<float>(number));
      labels_.push_back(static_cast<int64_t>(random.below(static_cast<size_t>(classes))));
      mask_[static_cast<size_t>(i)] = true;
    }
    TensorShape all{samples};
    for (const int64_t size : image) all.append(size);
    tensors_ = {tensor(image_tensor, pixels_.data(), all),
                tensor(box_tensor, boxes_.data(), {samples, most, 4}),
                tensor(box_class_tensor, labels_.data(), {samples, most}),
                tensor(box_mask_tensor, mask_.get(), {samples, most})};
  }
  BatchView view() const { return {tensors_, samples_}; }

 private:
  static constexpr int64_t most = 8;
  template <class T>
  static TensorView tensor(const char* name, const T* numbers, const TensorShape& shape) {
    return {name, dtype_of<T>(), shape, reinterpret_cast<const std::byte*>(numbers)};
  }

  int64_t samples_;
  std::vector<float> pixels_, boxes_;
  std::vector<int64_t> labels_;
  std::unique_ptr<bool[]> mask_;
  std::array<TensorView, 4> tensors_;
};

}  // namespace flyball
