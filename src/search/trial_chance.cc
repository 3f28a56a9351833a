#include "search/trial_chance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/figure_chance.h"
#include "space/ranked_space.h"

namespace flyball {
namespace {

// Of a hypothesis that blames a value of an axis: what fails although it should not, and the other
// way round.
constexpr double odd = 0.05;

struct Tried {
  std::vector<size_t> failed, read;
};

Tried tried_of(const History& history, size_t role) {
  Tried tried;
  for (const auto& [candidate, record] : history.of_role(role))
    if (record.tried) (record.failed() ? tried.failed : tried.read).push_back(candidate);
  return tried;
}

/// One axis is to blame, from a value up or below a value: its share of all that is believed, and
/// what it makes of each value.
class AxisBlame {
 public:
  AxisBlame(const RankedSpace& ranks, size_t axis, const Tried& tried) : axis_(axis) {
    for (size_t i = axis; i < ranks.values.size(); i += ranks.dimensions)
      levels_.push_back(ranks.values[i]);
    std::ranges::sort(levels_);
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    std::vector<double> failed(levels_.size(), 0), read(levels_.size(), 0);
    for (const size_t candidate : tried.failed) ++failed[level_of(ranks, candidate)];
    for (const size_t candidate : tried.read) ++read[level_of(ranks, candidate)];
    auto told = static_cast<double>(tried.failed.size());  // of what is from here up, as it was
    auto missed = static_cast<double>(tried.read.size());
    for (size_t from = 1; from < levels_.size(); ++from) {
      told += read[from - 1] - failed[from - 1];
      missed += failed[from - 1] - read[from - 1];
      for (const auto& [right, wrong] : {std::pair(told, missed), std::pair(missed, told)})
        logs_.push_back(right * std::log(1 - odd) + wrong * std::log(odd));
    }
  }

  /// The largest log-likelihood of what was tried, over its values and directions.
  double most() const {
    return logs_.empty() ? -std::numeric_limits<double>::infinity()
                         : *std::ranges::max_element(logs_);
  }
  /// The mean likelihood of these, against one whose logarithm is `unit`.
  double likelihood(double unit) const {
    double sum = 0;
    for (const double log : logs_) sum += std::exp(log - unit);
    return logs_.empty() ? 0 : sum / static_cast<double>(logs_.size());
  }
  /// Adds to each candidate's chance of failure, where that likelihood is believed to a `share`.
  void add_failures(const RankedSpace& ranks, double unit, double share,
                    std::vector<double>& failures) const {
    std::vector<double> of_level(levels_.size(), 0);
    for (size_t i = 0; i < logs_.size(); ++i) {
      const double weight = share * std::exp(logs_[i] - unit) / static_cast<double>(logs_.size());
      for (size_t level = 0; level < levels_.size(); ++level)
        of_level[level] += weight * fails(i / 2 + 1, i % 2 == 0, level);
    }
    for (size_t i = 0; i < failures.size(); ++i) failures[i] += of_level[level_of(ranks, i)];
  }

 private:
  static double fails(size_t from, bool up, size_t level) {
    return (level >= from) == up ? 1 - odd : odd;
  }
  size_t level_of(const RankedSpace& ranks, size_t candidate) const {
    const double value = ranks.row(candidate)[axis_];
    return static_cast<size_t>(std::ranges::lower_bound(levels_, value) - levels_.begin());
  }

  size_t axis_;
  std::vector<double> levels_;
  std::vector<double> logs_;  ///< from its second value on, upwards and downwards
};

// Failures that have nothing to do with axes come at a rate of their own, which is small: Beta(1,
// rare), whose mean is one in ten.
constexpr double rare = 9;

/// The log-likelihood of so many of them.
double log_likelihood_of_chance(double failed, double read) {
  return std::log(rare) + std::lgamma(failed + 1) + std::lgamma(read + rare) -
         std::lgamma(failed + read + 1 + rare);
}

}  // namespace

std::vector<double> success_chances(const History& history, size_t role) {
  const Tried tried = tried_of(history, role);
  if (tried.failed.empty()) return {};
  const Space& space = history.problem().candidates->space(role);
  const RankedSpace ranks = rank_axes(space);
  std::vector<AxisBlame> axes;
  for (size_t axis = 0; axis < ranks.dimensions; ++axis) axes.emplace_back(ranks, axis, tried);
  const auto failed = static_cast<double>(tried.failed.size()),
             read = static_cast<double>(tried.read.size());
  const double log_chance = log_likelihood_of_chance(failed, read);
  double unit = log_chance;
  for (const AxisBlame& axis : axes) unit = std::max(unit, axis.most());
  const double chance = std::exp(log_chance - unit);
  double all = chance;
  for (const AxisBlame& axis : axes)
    all += axis.likelihood(unit) / static_cast<double>(axes.size());
  std::vector<double> chances(space.size(),
                              chance / all * (failed + 1) / (failed + read + 1 + rare));
  for (const AxisBlame& axis : axes)
    axis.add_failures(ranks, unit, 1 / (static_cast<double>(axes.size()) * all), chances);
  for (double& value : chances) value = 1 - value;
  for (const size_t candidate : tried.failed) chances[candidate] = 0;
  for (const size_t candidate : tried.read) chances[candidate] = 1;
  return chances;
}

double chance_of(std::span<const size_t> choice, std::span<const std::vector<double>> by_role) {
  double chance = 1;
  for (size_t role = 0; role < choice.size(); ++role)
    if (!by_role[role].empty()) chance *= by_role[role][choice[role]];
  return chance;
}

std::vector<size_t> likely_failures(const History& history, size_t role) {
  const std::vector<double> chances = success_chances(history, role);
  std::vector<size_t> likely;
  for (size_t i = 0; i < chances.size(); ++i)
    if (chances[i] < 0.5 && !history.find(role, i)) likely.push_back(i);
  return likely;
}

std::vector<double> trial_chances(const History& history, size_t role) {
  std::vector<double> chances = success_chances(history, role);
  const std::vector<double> holds = figure_chances(history, role);
  if (chances.empty()) return holds;
  for (size_t i = 0; i < holds.size(); ++i) chances[i] *= holds[i];
  return chances;
}

}  // namespace flyball
