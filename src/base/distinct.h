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

/// Adds it at the end unless it is there.
template <class T>
void add_distinct(std::vector<T>& values, const T& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

}  // namespace flyball
