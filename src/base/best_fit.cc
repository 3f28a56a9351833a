#include "base/best_fit.h"

#include <algorithm>

namespace flyball {

size_t BestFit::find(size_t bytes) const {
  const auto gap = by_size_.lower_bound({rounded(bytes), 0});
  return gap == by_size_.end() ? end_ : gap->second;
}

size_t BestFit::take(size_t bytes) {
  const size_t size = rounded(bytes), place = find(bytes);
  if (place == end_) {
    end_ += size;
    most_ = std::max(most_, end_);
  } else {
    const auto gap = gaps_.find(place);
    const size_t left = gap->second - size;
    drop_gap(gap);
    if (left > 0) add_gap(place + size, left);
  }
  blocks_[place] = size;
  used_ += size;
  return place;
}

size_t BestFit::give(size_t place) {
  const auto block = blocks_.find(place);
  const size_t freed = block->second;
  size_t begin = place, size = freed;
  blocks_.erase(block);
  used_ -= freed;
  if (const auto next = gaps_.find(begin + size); next != gaps_.end()) {
    size += next->second;
    drop_gap(next);
  }
  if (auto before = gaps_.lower_bound(begin); before != gaps_.begin()) {
    --before;
    if (before->first + before->second == begin) {
      begin = before->first;
      size += before->second;
      drop_gap(before);
    }
  }
  if (begin + size == end_)
    end_ = begin;
  else
    add_gap(begin, size);
  return freed;
}

void BestFit::add_gap(size_t place, size_t size) {
  gaps_.emplace(place, size);
  by_size_.emplace(size, place);
}

void BestFit::drop_gap(std::map<size_t, size_t>::iterator gap) {
  by_size_.erase({gap->second, gap->first});
  gaps_.erase(gap);
}

}  // namespace flyball
