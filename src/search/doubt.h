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

  /// What to measure again, with the reason, after a trial was told; nothing when it is believed.
  /// `asked` is the trial as the strategy asked for it. To be called until it gives nothing: at
  /// most twice for a trial.
  ///
  /// - One reading is contradicted when it lies both more than 4 standard deviations and more than
  ///   6 % from what up to 60 neighbours, four at least, let expect of it. Beyond
  ///   the box of its neighbours nothing is expected.
  /// - Two readings that lie more than 3 % apart call for a third; the ledger takes the median.
  std::optional<Ask> again(const Ledger& ledger, const Ask& asked);

 private:
  std::string contradiction(const Ledger& ledger, const Ask& asked, const Reading& reading) const;

  uint64_t seed_;
  std::vector<std::shared_ptr<const std::vector<WorkloadTable>>> references_;
  std::map<std::pair<size_t, size_t>, size_t> repeats_;  ///< by role and candidate
};

}  // namespace flyball
