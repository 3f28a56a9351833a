// Whole surfaces of time and power that could be the true ones, and what a problem makes of its
// choices on each: what single intervals do not tell, since neighbours err together.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/posterior.h"

namespace flyball {

/// What every choice amounts to on every surface, those aside of which a trial failed. Of more than
/// 5,000 choices 4,096: those with the largest expected gain over what is known or, while nothing
/// within the limits is known, the likeliest to meet them.
class SurfaceOutcomes {
 public:
  /// `count` surfaces, of equal seeds the same. Measured candidates have their readings on all of
  /// them; others are within limits on as large a share at most as their trial has a chance to be
  /// of use. Error: that of a role that has no predictions.
  static Result<SurfaceOutcomes> draw(const History& history, const SearchOptions& options,
                                      size_t count = 128);

  size_t surfaces() const { return count_; }
  size_t choices() const { return losses_.size() / count_; }
  std::span<const size_t> choice(size_t i) const { return {choices_.data() + i * roles_, roles_}; }
  /// By surface; `unlimited` where a limit is broken.
  std::span<const double> losses(size_t i) const { return {losses_.data() + i * count_, count_}; }
  /// On each surface the least loss of any choice; `unlimited` where none meets the limits.
  std::vector<double> least() const;

 private:
  size_t count_ = 1, roles_ = 1;
  std::vector<size_t> choices_;
  std::vector<double> losses_;
};

/// What measuring a choice promises while nothing that meets the limits is known.
struct Promise {
  size_t choice = 0;    ///< of SurfaceOutcomes
  double feasible = 0;  ///< share of the surfaces on which it meets all limits
  /// Mean over the surfaces of 1 where it is the best there, ½ where it takes twice as much as the
  /// best one (or trains half as much), 0 where it breaks a limit.
  double worth = 0;
};
/// The choice that is worth the most of those that `open` lets; nothing where none meets the limits
/// on any surface.
std::optional<Promise> most_promising(const SurfaceOutcomes& outcomes,
                                      const std::function<bool(std::span<const size_t>)>& open);

/// By how much the loss `best` could still fall, as a share of it: on nine surfaces of ten no
/// choice is better by more. Never below 0.
double possible_gap(const SurfaceOutcomes& outcomes, double best);

}  // namespace flyball
