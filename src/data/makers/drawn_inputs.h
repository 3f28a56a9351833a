// Minibatches of random numbers in given shapes, for a network that comes without data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/collate.h"
#include "data/dataset.h"

namespace flyball {

/// A tensor of a sample. Floats are drawn with mean 0 and variance 1, integers from 0 to `most`.
struct DrawnTensor {
  TensorSpec spec;
  int64_t most = 1;
};

/// "[NAME:][DTYPE[..MOST]:]SHAPE": "3x224x224" (float32), "ids:int64..30521:128",
/// "label:int64..9:scalar". Without a name it is `name`. Error: what is wrong with it.
Result<DrawnTensor> parse_drawn_tensor(const std::string& text, const std::string& name);

struct DrawnInputs {
  DatasetPtr dataset;  ///< of kind "drawn"; its classes are the values of "label", else 1
  CollatePtr collate;
};

/// So many samples of these tensors; equal for equal seeds. Numbers are drawn once and copied into
/// each minibatch from another place, so that drawing does not count as loading. Errors: a name
/// that comes twice, too large a sample.
Result<DrawnInputs> make_drawn_inputs(const std::vector<DrawnTensor>& tensors, int64_t samples,
                                      uint64_t seed);

}  // namespace flyball
