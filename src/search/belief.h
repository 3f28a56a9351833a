// What a predictor makes of the readings so far, as a strategy uses it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "search/strategy.h"

namespace flyball {

/// Normal beliefs of the logarithms of time and power of every candidate of a role. Candidates that
/// were measured have their reading and no spread.
struct Belief {
  std::vector<double> log_ms, sd_ms;
  std::vector<double> log_w, sd_w;  ///< empty when no power was measured

  bool has_power() const { return !log_w.empty(); }
};

/// Predictions by what they were fitted on, so that searches on the same tables share them.
/// Bounded; safe to use from several threads; never changes a result.
class PredictionCache {
 public:
  explicit PredictionCache(size_t capacity = 4096) : capacity_(capacity) {}
  using Shared = std::shared_ptr<const Result<Prediction>>;
  Shared find(const std::string& key);
  void keep(const std::string& key, Shared prediction);

 private:
  std::mutex mutex_;
  size_t capacity_;
  std::map<std::string, Shared> current_, previous_;  ///< two generations
};

/// Fits the options' predictor on the role's readings and predicts its candidates. The error is the
/// predictor's, e.g. too few rows.
Result<Belief> believe(const Ledger& ledger, size_t role, const SearchOptions& options);

}  // namespace flyball
