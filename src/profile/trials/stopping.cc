#include "profile/trials/stopping.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "base/statistics.h"

namespace flyball {
namespace {

std::vector<double> block_means(std::span<const double> times, double block_ms) {
  std::vector<double> means;
  double sum = 0;
  size_t count = 0;
  for (double time : times) {
    sum += time;
    ++count;
    if (sum < block_ms) continue;
    means.push_back(sum / static_cast<double>(count));
    sum = 0;
    count = 0;
  }
  if (means.empty() && count > 0) means.push_back(sum / static_cast<double>(count));
  return means;
}

}  // namespace

TimeSummary summarise_times(std::span<const double> minibatch_ms, double block_ms) {
  const std::vector<double> means = block_means(minibatch_ms, block_ms);
  TimeSummary summary{median(means), std::numeric_limits<double>::infinity(), means.size()};
  if (means.size() < 3) return summary;
  std::vector<double> deviations;
  for (double value : means) deviations.push_back(std::abs(value - summary.value_ms));
  summary.noise = median_error(deviations) / summary.value_ms;
  return summary;
}

void StoppingRule::add(double minibatch_ms) {
  times_.push_back(minibatch_ms);
  total_s_ += minibatch_ms * 1e-3;
}

bool StoppingRule::done() {
  if (!reason_.empty()) return true;
  if (options_.max_minibatches > 0 && times_.size() >= options_.max_minibatches) {
    reason_ = fmt::format("minibatch cap {}", options_.max_minibatches);
  } else if (total_s_ >= options_.max_seconds) {
    reason_ = fmt::format("time cap {:g} s", options_.max_seconds);
  } else if (times_.size() >= next_check_ && times_.size() >= options_.min_minibatches &&
             total_s_ >= options_.min_seconds) {
    next_check_ = times_.size() + times_.size() / 20 + 1;
    const TimeSummary now = summary();
    if (now.blocks >= options_.min_blocks && now.noise <= options_.relative_noise)
      reason_ = fmt::format("relative noise {:.1f} % <= {:g} %", 100 * now.noise,
                            100 * options_.relative_noise);
  }
  return !reason_.empty();
}

}  // namespace flyball
