#include "data/tensor.h"

#include <fmt/format.h>

namespace flyball {

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "float32";
    case DType::float64:
      return "float64";
    case DType::int64:
      return "int64";
    case DType::int32:
      return "int32";
    case DType::uint8:
      return "uint8";
    case DType::boolean:
      return "boolean";
  }
  return "";
}

std::optional<DType> dtype_named(const std::string& name) {
  for (const DType dtype :
       {DType::float32, DType::float64, DType::int64, DType::int32, DType::uint8, DType::boolean})
    if (name == dtype_name(dtype)) return dtype;
  return {};
}

size_t dtype_bytes(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::int64:
      return 8;
    case DType::float32:
    case DType::int32:
      return 4;
    case DType::uint8:
    case DType::boolean:
      return 1;
  }
  return 0;
}

std::string TensorShape::text() const {
  if (empty()) return "scalar";
  std::string text;
  for (const int64_t size : *this) {
    if (!text.empty()) text += "×";
    text += size < 0 ? "any" : fmt::to_string(size);
  }
  return text;
}

void TensorView::check_dtype(DType wanted) const {
  if (dtype == wanted) return;
  throw std::invalid_argument(
      fmt::format("tensor '{}' is {}, not {}", name, dtype_name(dtype), dtype_name(wanted)));
}

}  // namespace flyball
