// Shapes as options and the files of networks spell them.
#pragma once

#include <string>

#include "data/tensor.h"

namespace flyball {

/// "3x224x224", "scalar" without dimensions: what --input takes, and networks are known by.
std::string typed_shape(const TensorShape& shape);

}  // namespace flyball
