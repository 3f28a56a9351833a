#include "workload/host_tensors.h"

#include <ATen/Functions.h>

#include <optional>
#include <utility>

namespace flyball {
namespace {

torch::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return torch::kFloat32;
    case DType::float64:
      return torch::kFloat64;
    case DType::int64:
      return torch::kInt64;
    case DType::int32:
      return torch::kInt32;
    case DType::uint8:
      return torch::kUInt8;
    case DType::boolean:
      return torch::kBool;
  }
  TORCH_CHECK(false, "no type of tensor");
}

std::optional<DType> dtype_like(torch::ScalarType type) {
  for (const DType dtype :
       {DType::float32, DType::int64, DType::float64, DType::int32, DType::uint8, DType::boolean})
    if (scalar_type(dtype) == type) return dtype;
  return {};
}

TensorShape shape_of(const torch::Tensor& tensor) {
  TensorShape shape;
  for (const int64_t size : tensor.sizes()) shape.append(size);
  return shape;
}

}  // namespace

torch::Tensor on_host(const TensorView& view) {
  return torch::from_blob(const_cast<std::byte*>(view.data),
                          torch::IntArrayRef(view.shape.begin(), view.shape.rank()),
                          torch::TensorOptions(scalar_type(view.dtype)));
}

StoredTensor stored(const std::string& name, const torch::Tensor& tensor) {
  const auto dtype = dtype_like(tensor.scalar_type());
  TORCH_CHECK(dtype, "no checkpoint holds numbers as those of '", name, "'");
  const torch::Tensor own = tensor.detach().to(torch::kCPU).contiguous();
  const auto* const data = static_cast<const char*>(own.data_ptr());
  return {name, *dtype, shape_of(own), std::string(data, own.nbytes())};
}

torch::Tensor loaded(const StoredTensor& tensor) {
  return on_host({tensor.name, tensor.dtype, tensor.shape,
                  reinterpret_cast<const std::byte*>(tensor.bytes.data())})
      .clone();
}

void HostTensors::clear() {
  kept_.clear();
  views_.clear();
  numbers_.clear();
}

BatchView HostTensors::take(Tensors& tensors, const Tensors& batch, int64_t samples) {
  clear();
  for (const auto& [name, tensor] : tensors) {
    const auto known = dtype_like(tensor.scalar_type());
    torch::Tensor here = known ? tensor : tensor.to(torch::kFloat32);
    if (!here.device().is_cpu()) here = here.to(torch::kCPU);
    here = here.contiguous();
    for (const auto& input : batch)
      if (here.is_alias_of(input.second)) here = here.clone();
    kept_.add(name, std::move(here));
    const torch::Tensor& own = (kept_.end() - 1)->second;
    views_.push_back({name, known.value_or(DType::float32), shape_of(own),
                      static_cast<const std::byte*>(own.data_ptr())});
  }
  tensors.clear();
  return {views_, samples};
}

BatchView HostTensors::take_numbers(const Scalars& figures) {
  clear();
  for (const auto& figure : figures) numbers_.push_back(figure.second);
  for (const auto& item : figures)
    views_.push_back({item.first,
                      DType::float64,
                      {},
                      reinterpret_cast<const std::byte*>(&numbers_[views_.size()])});
  return {views_, 0};
}

}  // namespace flyball
