#include "telemetry/sampling/lateness.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace flyball {
namespace {

constexpr int kSubBits = 4;

// Values below 16 have classes of their own; above, four bits after the leading one decide.
size_t class_of(uint64_t ns) {
  if (ns < (1u << kSubBits)) return ns;
  const int shift = static_cast<int>(std::bit_width(ns)) - 1 - kSubBits;
  return (static_cast<size_t>(shift + 1) << kSubBits) + ((ns >> shift) & ((1u << kSubBits) - 1));
}

int64_t upper_edge(size_t index) {
  if (index < (1u << kSubBits)) return static_cast<int64_t>(index);
  const size_t shift = (index >> kSubBits) - 1;
  const uint64_t base = (1u << kSubBits) + (index & ((1u << kSubBits) - 1));
  return static_cast<int64_t>(((base + 1) << shift) - 1);
}

}  // namespace

void LatenessHistogram::add(int64_t ns) {
  ns = std::max<int64_t>(ns, 0);
  ++classes_[std::min(class_of(static_cast<uint64_t>(ns)), classes_.size() - 1)];
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
}

int64_t LatenessHistogram::quantile_ns(double q) const {
  if (count_ == 0) return 0;
  const double rank = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < classes_.size(); ++i) {
    seen += classes_[i];
    if (seen > 0 && static_cast<double>(seen) >= rank) return std::min(upper_edge(i), max_ns_);
  }
  return max_ns_;
}

}  // namespace flyball
