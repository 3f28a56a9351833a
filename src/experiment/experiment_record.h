// The run of the store that a start of an experiment makes, or goes on with.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiment/stored_figures.h"

namespace flyball {

class ExperimentRecord {
 public:
  /// `store` may be null: nothing is known, and nothing is kept. With `fresh` only what this run
  /// itself has measured before it was interrupted is known.
  static Result<ExperimentRecord> open(Store* store, const RunRequest& request, bool fresh);

  /// The same without a run of its own, so that nothing is kept. `own`: only what this run has is
  /// known.
  static Result<ExperimentRecord> look(Store* store, const RunRequest& request,
                                       std::optional<int64_t> own = {});

  /// The latest known run of these settings under the conditions of the request, or null.
  const StoredFigures* find(const RunSettings& settings, int repeat) const;
  /// "2 earlier runs are measured again: cpu governor was powersave, now performance"; "" when none
  /// is.
  std::string measured_again(const ExperimentSpec& spec) const;

  /// Notes that it was taken over.
  Status reuse(const StoredFigures& known);
  /// Returns when it is on the disk.
  Status add(const RunFigures& figures);
  Status finish(const Status& how, const std::string& answer);

 private:
  Store* store_ = nullptr;
  std::optional<int64_t> run_;
  Conditions conditions_;
  std::string text_;  // of fingerprint and conditions
  std::vector<StoredFigures> known_;
};

/// run_key() of every run that the experiment asks for.
std::set<std::string> keys_of(const ExperimentSpec& spec);
/// The latest of this key under these conditions (as in StoredFigures), or null.
const StoredFigures* latest_of(const std::vector<StoredFigures>& known, const std::string& key,
                               const std::string& conditions);

}  // namespace flyball
