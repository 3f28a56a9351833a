// Doubt: a live reading that its neighbours contradict is measured again before it counts, whatever
// the strategy. The loop that measures owns it; tables, which read the same again, need none.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "search/strategy.h"

namespace flyball {

class Doubt {
 public:
  /// Takes the seed and the references of a search; its model is its own (the process, which is
  /// fitted in milliseconds), so that it costs the same beside every strategy and predictor.
  explicit Doubt(const SearchOptions& options);

  /// What to measure again, with the reason, after a trial was told; nothing when all is believed.
  /// `told` is that trial. To be called until it gives nothing: at most twice for a trial.
  ///
  /// - One reading is contradicted when it lies both more than 4 standard deviations and more than
  ///   6 % from what up to 60 neighbours, four at least, let expect of it. Beyond the box of its
  ///   neighbours nothing is expected, but of the default, which often lies at a corner and which
  ///   gains are told against: there 50 % is too much.
  /// - Every single reading is judged when it is told, again when it has eight neighbours, and
  ///   whenever they have doubled since, then by one and a half of these bounds, since many are;
  ///   of several that are contradicted the worst comes first.
  /// - Two readings that lie more than 3 % apart call for a third; the history takes the median.
  std::optional<Ask> again(const History& history, const Ask& told);

 private:
  using Key = std::pair<size_t, size_t>;  ///< role and candidate
  struct Contradiction {
    double severity = 0;  ///< how often the miss that would just be believed; 0: it is believed
    std::string why;
  };
  Contradiction contradiction(const History& history, const Key& key, const Reading& reading) const;
  std::optional<Ask> worst_contradiction(const History& history, const Key& told);
  bool is_default(const Key& key) const;

  uint64_t seed_;
  std::vector<size_t> default_choice_;
  std::vector<std::shared_ptr<const std::vector<WorkloadTable>>> references_;
  std::map<Key, size_t> repeats_;
  std::map<Key, size_t> believed_;  ///< among so many neighbours
};

}  // namespace flyball
