#include "profile/trials/stopping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "base/statistics.h"

namespace flyball {
namespace {

constexpr size_t longest_round = 16;  // that is looked for
constexpr size_t blocks_to_find = 8;

struct Blocks {
  TimeSummary summary;
  bool uneven = false;
};

std::vector<double> block_means(std::span<const double> times, size_t round, double block_ms) {
  std::vector<double> means;
  double sum = 0;
  size_t count = 0;
  for (double time : times) {
    sum += time;
    ++count;
    if (sum < block_ms || count % round != 0) continue;
    means.push_back(sum / static_cast<double>(count));
    sum = 0;
    count = 0;
  }
  if (means.empty() && count > 0) means.push_back(sum / static_cast<double>(count));
  return means;
}

// Without the outermost, one in 32 on each side and at least one: those may be a disturbance.
double trimmed_mean(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t cut = std::max<size_t>(1, values.size() / 32);
  return mean(std::span(values).subspan(cut, values.size() - 2 * cut));
}

Blocks in_blocks(std::span<const double> times, size_t round, double block_ms) {
  const std::vector<double> means = block_means(times, round, block_ms);
  Blocks blocks{{median(means), std::numeric_limits<double>::infinity(), means.size()}};
  if (means.size() < 3) return blocks;
  const double centre = blocks.summary.value_ms;
  std::vector<double> deviations;
  for (double value : means) deviations.push_back(std::abs(value - centre));
  const double error = median_error(deviations), apart = std::abs(trimmed_mean(means) - centre);
  // Mean and median of normal values differ by twice the error once in a thousand times.
  blocks.uneven = apart > 2 * error;
  blocks.summary.noise = (blocks.uneven ? apart : error) / centre;
  return blocks;
}

}  // namespace

TimeSummary summarise_times(std::span<const double> minibatch_ms, size_t round, double block_ms) {
  const Blocks shortest = in_blocks(minibatch_ms, 1, block_ms);
  if (!shortest.uneven) return shortest.summary;
  if (round > 1) return in_blocks(minibatch_ms, round, block_ms).summary;
  TimeSummary best = shortest.summary;
  for (size_t tried = 2; tried <= longest_round; ++tried) {
    const TimeSummary summary = in_blocks(minibatch_ms, tried, block_ms).summary;
    if (summary.blocks >= blocks_to_find && summary.noise < best.noise) best = summary;
  }
  return best;
}

void StoppingRule::add(double minibatch_ms) {
  times_.push_back(minibatch_ms);
  total_s_ += minibatch_ms * 1e-3;
}

// Two rounds and one more: what each round has once was seen twice, which no disturbance is.
size_t StoppingRule::least_minibatches() const {
  return std::max(options_.min_minibatches, options_.round > 1 ? 2 * options_.round + 1 : 0);
}

bool StoppingRule::done() {
  if (!reason_.empty()) return true;
  if (options_.max_minibatches > 0 && times_.size() >= options_.max_minibatches) {
    reason_ = fmt::format("minibatch cap {}", options_.max_minibatches);
  } else if (total_s_ >= options_.max_seconds) {
    reason_ = fmt::format("time cap {:g} s", options_.max_seconds);
  } else if (times_.size() >= next_check_ && times_.size() >= least_minibatches() &&
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
