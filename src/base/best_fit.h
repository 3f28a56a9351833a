// Which part of a growing region a block takes: the smallest gap that it fits into, else the end.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace flyball {

/// Places, counted in bytes from the beginning of the region; holds no memory itself. Neighbouring
/// gaps become one; a block is cut from the lower end of its gap. Not thread-safe.
class BestFit {
 public:
  static constexpr size_t grain = 64;  ///< sizes are rounded up to it, places are multiples of it

  /// Where a block of so many bytes would lie.
  size_t find(size_t bytes) const;
  size_t take(size_t bytes);
  /// Of a place that take() gave; returns its rounded size.
  size_t give(size_t place);

  size_t end() const { return end_; }    ///< of the last block
  size_t used() const { return used_; }  ///< bytes of all blocks
  size_t most() const { return most_; }  ///< the largest end() there was

 private:
  static size_t rounded(size_t bytes) { return (bytes + grain - 1) / grain * grain; }
  void add_gap(size_t place, size_t size);
  void drop_gap(std::map<size_t, size_t>::iterator gap);

  std::map<size_t, size_t> gaps_;                ///< size by place, all before end_
  std::set<std::pair<size_t, size_t>> by_size_;  ///< size and place of the same
  std::unordered_map<size_t, size_t> blocks_;    ///< size by place
  size_t end_ = 0, used_ = 0, most_ = 0;
};

}  // namespace flyball
