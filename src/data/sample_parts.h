// The parts of a sample that are no picture: token ids, spans, boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/tensor.h"

namespace flyball {

/// Tensors whose memory stays from sample to sample. Wrong use throws: std::out_of_range,
/// std::invalid_argument for another type.
class SampleParts {
 public:
  /// Gives part number `part` this type and shape, and its memory to be filled. Parts are set in
  /// their order, all of them for each sample.
  template <class T>
  std::span<T> set(size_t part, const TensorShape& shape) {
    return {reinterpret_cast<T*>(place(part, dtype_of<T>(), shape)),
            static_cast<size_t>(shape.elements())};
  }
  template <class T>
  std::span<const T> get(size_t part) const {
    return view(part).values<T>();
  }
  TensorView view(size_t part) const;  ///< without a name
  /// Shows `data`, aligned for its type, as this part, without a copy, until the part is set; it
  /// stays as it is meanwhile.
  void lend(size_t part, DType dtype, const TensorShape& shape, const std::byte* data);
  size_t size() const { return parts_.size(); }
  size_t bytes() const;

 private:
  struct Part {
    DType dtype;
    TensorShape shape;
    std::vector<uint64_t> memory;     ///< aligned for every type
    const std::byte* lent = nullptr;  ///< shown instead
  };
  void* place(size_t part, DType dtype, const TensorShape& shape);
  Part& add(size_t part, DType dtype, const TensorShape& shape);

  std::vector<Part> parts_;
};

}  // namespace flyball
