#include "cost/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/amounts.h"
#include "base/best_fit.h"

namespace flyball {
namespace {

constexpr int64_t most_samples = 1 << 20;

bool alike(const StepMemory& a, const StepMemory& b) {
  if (a.forward_end != b.forward_end || a.backward_end != b.backward_end || a.end != b.end)
    return false;
  return std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                    [](const MemoryBlock& x, const MemoryBlock& y) {
                      return x.part == y.part && x.begin == y.begin && x.end == y.end;
                    });
}

// Through (x0, y0) and (x1, y1), never below zero.
struct MemoryLine {
  double x0, x1, x;
  double operator()(double y0, double y1) const {
    return std::max(0.0, y0 + (y1 - y0) * (x - x0) / (x1 - x0));
  }
};

// Steps as the pool sees them; what is too small for it is counted as it comes.
class Replay {
 public:
  explicit Replay(const StepMemory& step) : step_(step), places_(step.blocks.size(), nowhere) {
    for (size_t i = 0; i < step_.blocks.size(); ++i) {
      const MemoryBlock& block = step_.blocks[i];
      if (block.begin > 0) events_.push_back({block.begin, i, true});
      if (block.end <= step_.end) events_.push_back({block.end, i, false});
    }
    std::ranges::sort(events_, {}, &Event::moment);
  }

  double kept() {
    for (size_t i = 0; i < step_.blocks.size() && step_.blocks[i].begin == 0; ++i) take(i);
    for (int step = 0; step < 2; ++step) {
      for (const Event& event : events_) event.begins ? take(event.block) : give(event.block);
      for (size_t i = 0; i < step_.blocks.size(); ++i)
        if (step_.blocks[i].begin > 0) give(i);  // what goes on to the next step is made there anew
    }
    return static_cast<double>(region_.most()) + most_small_;
  }

 private:
  static constexpr size_t nowhere = std::numeric_limits<size_t>::max();
  struct Event {
    size_t moment, block;
    bool begins;
  };

  bool is_small(size_t i) const { return step_.blocks[i].bytes < static_cast<double>(pooled_from); }
  void take(size_t i) {
    if (places_[i] != nowhere) return;
    const double bytes = step_.blocks[i].bytes;
    places_[i] = is_small(i) ? 0 : region_.take(static_cast<size_t>(bytes));
    if (is_small(i)) most_small_ = std::max(most_small_, small_ += bytes);
  }
  void give(size_t i) {
    if (places_[i] == nowhere) return;
    if (is_small(i))
      small_ -= step_.blocks[i].bytes;
    else
      region_.give(places_[i]);
    places_[i] = nowhere;
  }

  const StepMemory step_;
  std::vector<size_t> places_;
  std::vector<Event> events_;
  BestFit region_;
  double small_ = 0, most_small_ = 0;
};

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

StepMemory MemoryModel::extrapolated(double batch_size) const {
  const MemoryLine line{a_.batch_size, b_.batch_size, batch_size};
  StepMemory there = a_;
  there.batch_size = batch_size;
  for (size_t i = 0; i < there.blocks.size(); ++i)
    there.blocks[i].bytes = line(a_.blocks[i].bytes, b_.blocks[i].bytes);
  return there;
}

MemoryUse MemoryModel::peak(double batch_size) const {
  if (by_block_) return extrapolated(batch_size).peak();
  const MemoryLine line{a_.batch_size, b_.batch_size, batch_size};
  MemoryUse use;
  const MemoryUse a = a_.peak(), b = b_.peak();
  for (const MemoryPart part : memory_parts) use[part] = line(a[part], b[part]);
  return use;
}

double MemoryModel::kept(double batch_size) const {
  if (by_block_) return Replay(extrapolated(batch_size)).kept();
  // The gaps' share of the larger one.
  return peak(batch_size).total() * std::max(1.0, Replay(b_).kept() / b_.peak().total());
}

int64_t MemoryModel::largest_batch(double bytes, double bytes_per_sample) const {
  return flyball::largest_batch(
      bytes, [&](double batch) { return kept(batch) + batch * bytes_per_sample; });
}

std::string MemoryNeed::text() const {
  return fmt::format("needs {} of memory, and {} are available", format_bytes(needed_bytes),
                     format_bytes(available_bytes));
}

std::string MemoryNeed::text_of(double batch_size, double workers) const {
  return fmt::format("batch_size {:g}{} {}; {}", batch_size,
                     workers == 0 ? "" : fmt::format(" with {:g} loader_workers", workers), text(),
                     largest_batch == 0
                         ? std::string("not even one sample fits")
                         : fmt::format("the largest that fits is {}", largest_batch));
}

int64_t largest_batch(double bytes, const std::function<double(double batch_size)>& needed) {
  const auto fits = [&](int64_t samples) { return needed(static_cast<double>(samples)) <= bytes; };
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
