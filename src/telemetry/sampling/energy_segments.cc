#include "telemetry/sampling/energy_segments.h"

#include <algorithm>

namespace flyball {

void integrate(const std::vector<PowerSegment>& segments, int64_t begin, int64_t end,
               EnergyWindow& window) {
  int64_t gap_from = begin;  // everything from here to the next known stretch is unknown
  const auto close_gap = [&](int64_t until) {
    if (until <= gap_from) return;
    const double gap = seconds_between(gap_from, until);
    ++window.gaps;
    window.missing.push_back({gap_from, until});
    window.gap_s += gap;
    window.longest_gap_s = std::max(window.longest_gap_s, gap);
  };
  for (const PowerSegment& segment : segments) {
    const int64_t from = std::max(begin, segment.begin_ns), to = std::min(end, segment.end_ns);
    if (!segment.known || to <= from) continue;
    close_gap(from);
    gap_from = to;
    const double whole = seconds_between(segment.begin_ns, segment.end_ns);
    const double slope = (segment.end_w - segment.begin_w) / whole;
    const double middle_s = seconds_between(segment.begin_ns, from) + seconds_between(from, to) / 2;
    window.energy_j += (segment.begin_w + slope * middle_s) * seconds_between(from, to);
    window.covered_s += seconds_between(from, to);
  }
  close_gap(end);
}

}  // namespace flyball
