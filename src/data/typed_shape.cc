#include "data/typed_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace flyball {

std::string typed_shape(const TensorShape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape.begin(), shape.end(), "x"));
}

}  // namespace flyball
