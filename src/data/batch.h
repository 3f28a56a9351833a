// One minibatch in host memory, as it passes from the loader, or from live requests, to a step:
// named tensors. Labels, boxes, token ids and masks are tensors like pictures.
//
// What varies in length from sample to sample comes in one of two ways:
// - padded: NAME has one row per sample, all as long as the longest of this minibatch (or as long
//   as the collate fixes); what is padding is told by another tensor, a mask of the same shape or
//   lengths, one per sample. For token ids, where the network computes on whole rows.
// - packed: NAME holds the rows of all samples one after the other, and NAME_offsets (int64, one
//   number more than samples, from 0 on) says that rows offsets[i] to offsets[i + 1] belong to
//   sample i. For boxes, of which a sample may have none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/tensor.h"

namespace flyball {

/// How the rows of a tensor belong to samples.
enum class RowLayout : uint8_t {
  per_sample,  ///< one row per sample, padded where lengths vary
  packed,      ///< any number per sample, with NAME_offsets
};

/// What a tensor of a batch is, without its numbers.
struct TensorSpec {
  std::string name;
  DType dtype = DType::float32;
  TensorShape shape;  ///< of one row: without samples; −1: any size (the largest, for a buffer)
  RowLayout rows = RowLayout::per_sample;
  int64_t most_rows = 1;  ///< packed: of one sample, for the buffer's size
};

/// "NAME_offsets": the tensor that says which rows of a packed one belong to which sample.
std::string offsets_name(std::string_view packed);

/// A view of a minibatch; valid until its owner is asked for the next one.
struct BatchView {
  std::span<const TensorView> tensors;
  int64_t samples = 0;

  int64_t count() const { return samples; }
  /// Null where there is none of that name.
  const TensorView* find(std::string_view name) const;
  /// The numbers of a tensor. Throws std::invalid_argument: none of that name, or of another type.
  template <class T>
  std::span<const T> values(std::string_view name) const {
    return at(name).values<T>();
  }

 private:
  const TensorView& at(std::string_view name) const;
};

/// Does the batch hold this tensor, with one row for each sample or with sound offsets? Errors name
/// the tensor and what does not fit.
Status check_tensor(const BatchView& batch, const TensorSpec& wanted);

}  // namespace flyball
