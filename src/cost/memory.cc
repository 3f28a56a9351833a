#include "cost/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace flyball {
namespace {

constexpr int64_t most_samples = 1 << 20;

bool alike(const StepMemory& a, const StepMemory& b) {
  return std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                    [](const MemoryBlock& x, const MemoryBlock& y) {
                      return x.part == y.part && x.begin == y.begin && x.end == y.end;
                    });
}

}  // namespace

const char* memory_part_name(MemoryPart part) {
  constexpr std::array names = {"weights", "gradients", "optimizer", "activations", "workspace"};
  return names[static_cast<size_t>(part)];
}

double MemoryUse::total() const {
  return std::accumulate(bytes_.begin(), bytes_.end(), 0.0);
}

MemoryUse StepMemory::at(size_t moment) const {
  MemoryUse use;
  for (const MemoryBlock& block : blocks)
    if (block.begin <= moment && moment < block.end) use[block.part] += block.bytes;
  return use;
}

MemoryUse StepMemory::peak(size_t from, size_t until) const {
  // What comes and goes at each moment; only beginnings can be peaks.
  std::vector<double> change(end + 2, 0.0);
  for (const MemoryBlock& block : blocks) {
    change[std::min(block.begin, end + 1)] += block.bytes;
    change[std::min(block.end, end + 1)] -= block.bytes;
  }
  double alive = 0, most = -1;
  size_t moment = from;
  for (size_t i = 0; i < std::min(until, end + 1); ++i) {
    alive += change[i];
    if (i < from || alive <= most) continue;
    most = alive;
    moment = i;
  }
  return at(moment);
}

MemoryModel::MemoryModel(StepMemory a, StepMemory b)
    : a_(std::move(a)), b_(std::move(b)), by_block_(alike(a_, b_)) {}

Result<MemoryModel> MemoryModel::of(StepMemory a, StepMemory b) {
  if (a.batch_size > b.batch_size) std::swap(a, b);
  if (!(a.batch_size >= 1) || a.batch_size == b.batch_size)
    return Error{Code::invalid_argument,
                 fmt::format("memory at batch sizes {} and {} says nothing of others", a.batch_size,
                             b.batch_size),
                 "measure it at two sizes, such as 1 and 2"};
  return MemoryModel(std::move(a), std::move(b));
}

MemoryUse MemoryModel::peak(double batch_size) const {
  const double share = (batch_size - a_.batch_size) / (b_.batch_size - a_.batch_size);
  const auto line = [share](double a, double b) { return std::max(0.0, a + share * (b - a)); };
  if (by_block_) {
    StepMemory there = a_;
    for (size_t i = 0; i < there.blocks.size(); ++i)
      there.blocks[i].bytes = line(a_.blocks[i].bytes, b_.blocks[i].bytes);
    return there.peak();
  }
  MemoryUse use;
  const MemoryUse a = a_.peak(), b = b_.peak();
  for (const MemoryPart part : memory_parts) use[part] = line(a[part], b[part]);
  return use;
}

int64_t MemoryModel::largest_batch(double bytes, double bytes_per_sample) const {
  const auto fits = [&](int64_t samples) {
    const auto batch = static_cast<double>(samples);
    return peak(batch).total() + batch * bytes_per_sample <= bytes;
  };
  int64_t low = 0, high = 1;  // low fits, high does not
  while (high <= most_samples && fits(high)) low = std::exchange(high, 2 * high);
  if (high > most_samples) return low;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace flyball
