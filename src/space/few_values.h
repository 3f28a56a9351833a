// A grid of a model's answers holds few values of each axis: what lies between follows from them.
#pragma once

#include <cstddef>
#include <vector>

namespace flyball {

/// Of ascending values the lowest, the highest and evenly by rank what lies between: `most` (≥ 2)
/// at most.
inline std::vector<double> few_values(const std::vector<double>& values, size_t most) {
  if (values.size() <= most) return values;
  std::vector<double> few;
  for (size_t i = 0; i < most; ++i) few.push_back(values[i * (values.size() - 1) / (most - 1)]);
  return few;
}

}  // namespace flyball
