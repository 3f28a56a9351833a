#include "schedule/shape_keys.h"

#include <algorithm>

namespace flyball {

ShapeKeys::ShapeKeys(const std::vector<TensorSpec>& inputs) {
  const auto any_size = [](const TensorSpec& input) {
    return std::ranges::any_of(input.shape, [](int64_t size) { return size < 0; });
  };
  for (const TensorSpec& input : inputs)
    if (any_size(input)) inputs_.push_back(input.name);
}

ShapeKeys::Sizes ShapeKeys::sizes_of(const InferRequest& request) const {
  Sizes sizes;
  for (const std::string& name : inputs_) {
    const auto input = std::ranges::find(request.inputs, name, &StoredTensor::name);
    if (input == request.inputs.end()) continue;
    sizes.push_back(static_cast<int64_t>(input->shape.rank()));
    for (size_t d = 1; d < input->shape.rank(); ++d) sizes.push_back(input->shape[d]);
  }
  return sizes;
}

uint64_t ShapeKeys::of(const InferRequest& request) const {
  if (inputs_.empty()) return 0;
  const auto kept = shapes_.find(sizes_of(request));
  return kept != shapes_.end() ? kept->second.key : last_ + 1;
}

void ShapeKeys::keep(const InferRequest& request) {
  if (inputs_.empty()) return;
  Kept& kept = shapes_[sizes_of(request)];
  if (kept.waiting++ == 0) kept.key = ++last_;
}

void ShapeKeys::give_back(const InferRequest& request) {
  if (inputs_.empty()) return;
  const auto kept = shapes_.find(sizes_of(request));
  if (kept != shapes_.end() && --kept->second.waiting == 0) shapes_.erase(kept);
}

}  // namespace flyball
