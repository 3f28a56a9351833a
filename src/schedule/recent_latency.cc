#include "schedule/recent_latency.h"

namespace flyball {
namespace {

constexpr auto part_ns = static_cast<int64_t>(recent_s / 12 * 1e9);

}  // namespace

void RecentLatency::add(int64_t at_ns, int64_t latency_ns) {
  const int64_t number = at_ns / part_ns;
  Part& part = parts_[static_cast<size_t>(number % parts)];
  if (part.number != number) part = {.number = number};
  part.latency.add(latency_ns);
}

LatencyHistogram RecentLatency::before(int64_t at_ns) const {
  LatencyHistogram all;
  for (const Part& part : parts_)
    if (part.number >= 0 && part.number > at_ns / part_ns - parts) all.merge(part.latency);
  return all;
}

}  // namespace flyball
