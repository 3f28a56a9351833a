// What one could have in place of a search's answer, such as a preset of the board: measured beside
// the search, so that the answer can be compared with it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace flyball {

struct Ask;
class History;
struct SearchOptions;

struct Baseline {
  std::string name{};            ///< "preset 30W"
  std::vector<size_t> choice{};  ///< one candidate for each role; empty: not searched
  bool in_force = false;         ///< what one has now
};

/// How many profiles it takes to know the one in force and a best one: those in other places than
/// the default and each other.
size_t profiles_needed(std::span<const Baseline> baselines,
                       const std::vector<size_t>& default_choice);

/// The one that is predicted to be the best within the limits and was not measured; null where one
/// that was measured is better, or none is likely to meet them.
const Baseline* best_unmeasured(const History& history, const SearchOptions& options);

/// Asks for the trials of baselines: of the one in force early, and of best_unmeasured() last. What
/// was known before the search is not asked for again and counts as one of them.
class BaselineTrials {
 public:
  /// Nothing while the search is to go on. `last`: it has one profile left, or has ended.
  std::optional<Ask> next(const History& history, const SearchOptions& options, bool last);

 private:
  std::optional<Ask> missing(const History& history) const;
  std::optional<Ask> begin(const Baseline* baseline, const char* why, const History& history,
                           const SearchOptions& options);

  const Baseline* begun_ = nullptr;  ///< the last one, whose second role may be missing
  std::string why_;
  std::optional<size_t> asked_;           ///< with those that were known before the search
  bool in_force_ = false, best_ = false;  ///< asked for?
};

}  // namespace flyball
