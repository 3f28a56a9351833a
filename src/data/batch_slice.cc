#include "data/batch_slice.h"

namespace flyball {
namespace {

// Rows `first` to `first + count` of a tensor.
TensorView rows_of(const TensorView& tensor, int64_t first, int64_t count) {
  TensorView part = tensor;
  part.shape = {count};
  for (size_t d = 1; d < tensor.shape.rank(); ++d) part.shape.append(tensor.shape[d]);
  int64_t row = 1;
  for (size_t d = 1; d < tensor.shape.rank(); ++d) row *= tensor.shape[d];
  part.data += static_cast<size_t>(first * row) * dtype_bytes(tensor.dtype);
  return part;
}

}  // namespace

BatchView BatchSlice::take(const BatchView& batch, int64_t first, int64_t count) {
  tensors_.clear();
  offsets_.clear();
  offsets_.reserve(batch.tensors.size());  // views point into them
  std::vector<std::string_view> offset_names;
  for (const TensorView& tensor : batch.tensors) {
    const TensorView* const offsets = batch.find(offsets_name(tensor.name));
    if (!offsets) continue;
    const auto all = offsets->values<int64_t>();
    const auto begin = all.begin() + first;
    auto& own = offsets_.emplace_back(begin, begin + count + 1);
    const int64_t rows_begin = own.front(), rows = own.back() - own.front();
    for (int64_t& offset : own) offset -= rows_begin;
    tensors_.push_back(rows_of(tensor, rows_begin, rows));
    tensors_.push_back(
        {offsets->name, DType::int64, {count + 1}, reinterpret_cast<const std::byte*>(own.data())});
    offset_names.push_back(offsets->name);
  }
  for (const TensorView& tensor : batch.tensors) {
    const bool packed = batch.find(offsets_name(tensor.name)) != nullptr;
    bool offsets = false;
    for (const std::string_view name : offset_names) offsets |= name == tensor.name;
    if (!packed && !offsets) tensors_.push_back(rows_of(tensor, first, count));
  }
  return {tensors_, count};
}

}  // namespace flyball
