// The integer programme behind `fleet choose`: how many boards of each kind run in which of their
// options. Exact for small fleets; for large ones an answer with a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace flyball {

/// What one board adds in one of its options; both are to be small. `u` is not below 0.
struct PickOption {
  double u = 0, v = 0;
};
struct PickKind {
  size_t boards = 0;
  std::vector<PickOption> options;
};

/// Minimise weight_u · Σu + weight_v · Σv with Σu ≤ most_u, Σv ≤ most_v, at most `count` boards (or
/// exactly so many), and no more boards of a kind than there are.
struct PickProblem {
  std::vector<PickKind> kinds;
  double weight_u = 0, weight_v = 0;
  double most_u = std::numeric_limits<double>::infinity();
  double most_v = std::numeric_limits<double>::infinity();
  size_t count = 0;
  bool exactly = false;

  size_t boards() const;
  double cost(double u, double v) const { return weight_u * u + weight_v * v; }
  // The limits with what sums of many boards round.
  double allowed_u() const;
  double allowed_v() const;
};

/// Boards of each kind in each of its options.
using PickCounts = std::vector<std::vector<size_t>>;

struct Pick {
  PickCounts counts;
  double u = 0, v = 0;
};
/// The sums of these counts.
Pick make_pick(const PickProblem& problem, PickCounts counts);

/// The linear programme in which a kind's boards may be divided between options at any ratio.
struct PickRelaxation {
  double bound = 0;                                  ///< no pick costs less
  double price_u = 0, price_v = 0, price_count = 0;  ///< of one unit of each limit
  std::vector<std::vector<double>> counts;
};
/// 0 where a limit that is infinite has no price.
inline double price_of_limit(double price, double limit) {
  return price == 0 ? 0 : price * limit;
}
/// Nothing: not even boards that are divided keep the limits.
std::optional<PickRelaxation> relax(const PickProblem& problem);

struct PickAnswer {
  std::optional<Pick> pick{};
  double bound = 0;    ///< no pick costs less; without meaning where the relaxation has none
  bool exact = false;  ///< there is no better one, or none at all
};
/// `quick` looks near the relaxation alone; else small fleets are enumerated.
enum class PickEffort { quick, thorough };
/// `known`: a pick that keeps the limits, where one is known; the answer is no worse.
PickAnswer solve_pick(const PickProblem& problem, const std::optional<Pick>& known = {},
                      PickEffort effort = PickEffort::thorough);

}  // namespace flyball
