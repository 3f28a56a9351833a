#include "predict/outside.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace flyball {
namespace {

// Shares of the way from the box, in logarithms. One value of an axis leaves open everything from
// no effect to proportion; with several of them the model has seen some of the effect.
// docs/prediction.md has what they cover on measured tables.
constexpr double unseen = 1;
constexpr double seen_in_time = 0.7, seen_in_power = 0.5;

struct Box {
  double low = 0, high = 0;
};

/// Logarithm of the way from the box to the value; 0 inside. Counts such as workers may be zero.
double way_out(const Box& box, double value) {
  const double shift = box.low > 0 && value > 0 ? 0 : 1;
  if (value > box.high) return std::log((value + shift) / (box.high + shift));
  if (value < box.low) return std::log((box.low + shift) / (value + shift));
  return 0;
}

/// Half-widths add as independent errors do.
void widen(Estimates& estimates, size_t i, double more) {
  if (estimates.mean.empty() || more <= 0) return;
  const double mean = estimates.mean[i];
  const double low = std::log(mean / std::max(estimates.lo90[i], 1e-6 * mean));
  const double high = std::log(std::max(estimates.hi90[i], mean) / mean);
  estimates.lo90[i] = mean * std::exp(-std::hypot(low, more));
  estimates.hi90[i] = mean * std::exp(std::hypot(high, more));
}

}  // namespace

void widen_outside(const Space& profiled, const Space& space, Prediction& prediction) {
  if (profiled.empty() || prediction.simulated_outside) return;
  std::vector<double> time(space.size()), power(space.size());
  for (size_t d = 0; d < profiled.dimensions(); ++d) {
    const auto column = space.axis_index(profiled.axes()[d].name);
    if (!column) continue;
    Box box{profiled.row(0)[d], profiled.row(0)[d]};
    for (size_t i = 1; i < profiled.size(); ++i) {
      box.low = std::min(box.low, profiled.row(i)[d]);
      box.high = std::max(box.high, profiled.row(i)[d]);
    }
    const bool one = box.low == box.high;
    for (size_t i = 0; i < space.size(); ++i) {
      const double way = way_out(box, space.row(i)[*column]);
      time[i] += (one ? unseen : seen_in_time) * way;
      power[i] += (one ? unseen : seen_in_power) * way;
    }
  }
  for (size_t i = 0; i < space.size(); ++i) {
    widen(prediction.minibatch_ms, i, time[i]);
    widen(prediction.power_w, i, power[i]);
  }
}

}  // namespace flyball
