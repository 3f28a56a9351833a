// What was measured: every reading that a search was told, and the best choice made of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/exact.h"

namespace flyball {

/// All that was told of one trial. A failed trial has no reading.
struct Record {
  std::vector<Reading> readings;  ///< in the order told; more than one when it was repeated
  std::string failure;            ///< why it failed; "" when it did not
  bool tried = false;             ///< not merely known to be out of reach

  bool failed() const { return readings.empty(); }
  /// The median of the readings; NaN times when it failed.
  Reading value() const;
};

/// Was the trial made that is noted?
enum class Made : uint8_t {
  now,      ///< by this search: a profile
  earlier,  ///< before it began: no profile
  never,    ///< it is known why it cannot be made now, which tells nothing of others
};

/// Readings by role and candidate, with the paper's way of counting profiles.
class History {
 public:
  explicit History(const std::shared_ptr<const Problem>& problem);

  /// With the time of its default, once that was told.
  const Problem& problem() const { return problem_; }
  /// Notes one trial; of one that failed earlier, that it need not be made.
  void record(size_t role, size_t candidate, const Reading& reading, const std::string& failure,
              Made made = Made::now);

  const Record* find(size_t role, size_t candidate) const;
  /// How many trials of the choice, one candidate for each role, are still to be made; nothing
  /// where one failed.
  std::optional<size_t> missing(std::span<const size_t> choice) const;
  /// Has every trial of the choice a reading?
  bool is_measured(std::span<const size_t> choice) const { return missing(choice) == 0; }
  /// The role's trials by candidate, ascending.
  const std::map<size_t, Record>& of_role(size_t role) const { return records_[role]; }
  /// Number of measurements, repeats included.
  size_t trials() const { return trials_; }
  /// Number of profiles as published, where a pair of trials in one mode counts once: the sum over
  /// modes of the larger number of distinct trials that one role needed there.
  size_t profiles() const;
  /// Of all trials that were made, repeats and those that were known before the search included.
  size_t readings_made() const { return readings_made_; }
  /// What profiles() would be after measuring these candidates too (one for each role).
  size_t profiles_with(std::span<const size_t> choice) const;

  /// The best choice whose trials are all measured: feasible when any is, otherwise the nearest to
  /// being so. Nothing while no choice is complete.
  const std::optional<Choice>& best() const { return best_; }
  /// What profiles() would be after measuring this one too.
  size_t profiles_after(size_t role, size_t candidate) const;
  /// Was any power reading told?
  bool has_power() const { return has_power_; }
  /// Readings without power, while there was none with it.
  size_t blind_readings() const { return has_power_ ? 0 : blind_readings_; }
  /// Readings of all candidates, NaN where there are none.
  Readings readings() const;

 private:
  size_t count_profiles(const std::vector<std::set<size_t>>& measured) const;
  void consider(size_t role, size_t candidate);
  void choose_again();
  bool know_usual(size_t candidate, const Record& entry);

  Problem problem_;
  std::vector<std::map<size_t, Record>> records_;
  std::vector<std::set<size_t>> counted_;  ///< trials that cost something, by role
  std::optional<Choice> best_;
  size_t trials_ = 0, readings_made_ = 0, blind_readings_ = 0;
  bool has_power_ = false;
};

}  // namespace flyball
