#include "data/batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {
namespace {

Error misfit(const std::string& what) {
  return {Code::invalid_argument, what, "the collate of a workload makes what its network takes"};
}

// Do the sizes after the first fit, -1 being any?
bool fits(const TensorShape& shape, const TensorShape& row) {
  if (shape.rank() != row.rank() + 1) return false;
  for (size_t i = 0; i < row.rank(); ++i)
    if (row[i] >= 0 && row[i] != shape[i + 1]) return false;
  return true;
}

TensorShape row_of(const TensorShape& shape) {
  TensorShape row;
  for (size_t i = 1; i < shape.rank(); ++i) row.append(shape[i]);
  return row;
}

Status check_offsets(const BatchView& batch, const TensorView& packed) {
  const std::string name = offsets_name(packed.name);
  const TensorView* found = batch.find(name);
  if (found == nullptr) return misfit(fmt::format("the batch has no tensor '{}'", name));
  if (found->dtype != DType::int64 || found->shape != TensorShape{batch.samples + 1})
    return misfit(fmt::format("'{}' is {} {}, {} int64 are wanted", name, found->shape.text(),
                              dtype_name(found->dtype), batch.samples + 1));
  const auto offsets = found->values<int64_t>();
  if (offsets.front() != 0 || offsets.back() != packed.shape[0] || !std::ranges::is_sorted(offsets))
    return misfit(fmt::format("'{}' does not rise from 0 to the {} rows", name, packed.shape[0]));
  return {};
}

}  // namespace

std::string offsets_name(std::string_view packed) {
  return std::string(packed) + "_offsets";
}

const TensorView* BatchView::find(std::string_view name) const {
  for (const TensorView& tensor : tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

const TensorView& BatchView::at(std::string_view name) const {
  if (const TensorView* found = find(name)) return *found;
  throw std::invalid_argument(fmt::format("the batch has no tensor '{}'", name));
}

Status check_tensor(const BatchView& batch, const TensorSpec& wanted) {
  if (batch.samples < 1) return misfit("the batch holds no sample");
  const TensorView* found = batch.find(wanted.name);
  if (found == nullptr) return misfit(fmt::format("the batch has no tensor '{}'", wanted.name));
  if (found->dtype != wanted.dtype)
    return misfit(fmt::format("'{}' is {} where {} is wanted", wanted.name,
                              dtype_name(found->dtype), dtype_name(wanted.dtype)));
  if (!fits(found->shape, wanted.shape))
    return misfit(fmt::format("'{}' of {} does not fit a network for {}", wanted.name,
                              row_of(found->shape).text(), wanted.shape.text()));
  if (wanted.rows == RowLayout::packed) return check_offsets(batch, *found);
  if (found->shape[0] != batch.samples)
    return misfit(fmt::format("'{}' has {} rows for {} samples", wanted.name, found->shape[0],
                              batch.samples));
  return {};
}

}  // namespace flyball
