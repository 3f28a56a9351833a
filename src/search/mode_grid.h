// Power modes as positions on a grid, for the published searches that walk along axes.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "problem/candidates.h"

namespace flyball {

/// A position: one index into the ascending values of each axis.
using GridPosition = std::vector<size_t>;

/// The modes' axes with more than one value, in a given order of names (others follow as they
/// come).
class ModeGrid {
 public:
  ModeGrid(const Space& modes, const std::vector<std::string>& order);

  size_t dimensions() const { return axes_.size(); }
  /// Number of values on an axis.
  size_t length(size_t d) const { return values_[d].size(); }
  GridPosition median() const;
  GridPosition highest() const;
  /// The mode there, or nothing where the grid has a gap.
  std::optional<size_t> mode(const GridPosition& at) const;

 private:
  const Space& modes_;
  std::vector<size_t> axes_;
  std::vector<std::vector<double>> values_;
  std::vector<double> template_;  ///< the values of the constant axes
};

/// What is left of one axis while a halving search closes in on a value.
struct Remaining {
  std::vector<size_t> values;  ///< indices, ascending

  explicit Remaining(size_t length);
  /// Moves `current` half-way up (or down) in what remains and drops what lies behind it.
  void move(size_t& current, bool up);
};

}  // namespace flyball
