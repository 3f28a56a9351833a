#include "data/sample_parts.h"

namespace flyball {
namespace {

size_t bytes_of(DType dtype, const TensorShape& shape) {
  return dtype_bytes(dtype) * static_cast<size_t>(shape.elements());
}

}  // namespace

SampleParts::Part& SampleParts::add(size_t part, DType dtype, const TensorShape& shape) {
  if (part == parts_.size()) parts_.emplace_back();
  Part& own = parts_.at(part);
  own.dtype = dtype;
  own.shape = shape;
  own.lent = nullptr;
  return own;
}

void* SampleParts::place(size_t part, DType dtype, const TensorShape& shape) {
  Part& own = add(part, dtype, shape);
  own.memory.resize((bytes_of(dtype, shape) + 7) / 8);
  return own.memory.data();
}

TensorView SampleParts::view(size_t part) const {
  const Part& own = parts_.at(part);
  const auto* const memory = reinterpret_cast<const std::byte*>(own.memory.data());
  return {"", own.dtype, own.shape, own.lent ? own.lent : memory};
}

void SampleParts::lend(size_t part, DType dtype, const TensorShape& shape, const std::byte* data) {
  add(part, dtype, shape).lent = data;
}

size_t SampleParts::bytes() const {
  size_t bytes = 0;
  for (const Part& part : parts_) bytes += bytes_of(part.dtype, part.shape);
  return bytes;
}

}  // namespace flyball
