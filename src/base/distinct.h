// Values in order, each once.
#pragma once

#include <algorithm>
#include <vector>

namespace flyball {

/// Sorts and drops what is there twice. Not by std::ranges::unique: Clang 14, which builds the
/// fuzzers, cannot read that of libstdc++ 12.
template <class T>
void make_distinct(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace flyball
