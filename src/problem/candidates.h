// What a problem may choose from: the configurations of each role, tied together by power mode.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/space.h"

namespace flyball {

/// Which power modes of roles that have not all the same ones are kept.
enum class LinkedModes {
  common,  ///< those that every role has: for one mode of all roles
  any      ///< every one: for a mode of each role's own
};

/// Error: two workloads that are to share a board were measured on different ones.
Status check_one_board(const std::string& workload, const std::string& board,
                       const std::string& other, const std::string& other_board);

/// Configurations of one or two roles. A role's candidate is a row of its space; candidates of
/// different roles belong together when their board axes are equal. Immutable once linked.
class Candidates {
 public:
  /// One space for each role. An error when no mode is kept or when the roles disagree on the
  /// board's axes.
  static Result<Candidates> link(std::vector<Space> spaces,
                                 LinkedModes modes = LinkedModes::common);

  size_t roles() const { return spaces_.size(); }
  const Space& space(size_t role) const { return spaces_[role]; }
  size_t size(size_t role) const { return spaces_[role].size(); }
  /// The distinct power modes, over the board axes only (one empty mode when there is no such
  /// axis).
  const Space& modes() const { return modes_; }
  size_t mode_count() const { return of_mode_.front().size(); }
  size_t mode_of(size_t role, size_t candidate) const { return mode_of_[role][candidate]; }
  /// The candidates of a role in a mode, ascending in batch size; none where the mode is another
  /// role's alone.
  std::span<const size_t> of_mode(size_t role, size_t mode) const { return of_mode_[role][mode]; }
  /// How many profiles all of them are, as History::profiles() counts: in each mode as many as the
  /// role has that has most there.
  size_t profiles() const;
  /// The first of them, or nothing.
  std::optional<size_t> first_of(size_t role, size_t mode) const;
  /// Batch size of a candidate; 1 where it is not an axis.
  double batch(size_t role, size_t candidate) const { return batch_[role][candidate]; }
  /// The role's distinct batch sizes, ascending.
  const std::vector<double>& batches(size_t role) const { return batches_[role]; }
  /// The role's candidate in this mode with this batch size (the first one), or nothing.
  std::optional<size_t> at(size_t role, size_t mode, double batch) const;

 private:
  void add_role(const Space& all, const std::vector<size_t>& axes,
                const std::map<std::vector<double>, size_t>& number);

  std::vector<Space> spaces_;
  Space modes_;
  std::vector<std::vector<size_t>> mode_of_;
  std::vector<std::vector<std::vector<size_t>>> of_mode_;
  std::vector<std::vector<double>> batch_, batches_;
};

}  // namespace flyball
