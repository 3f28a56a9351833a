// What a predictor makes of the readings so far, as a strategy uses it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "search/strategy.h"

namespace flyball {

/// Values by what they were computed from. Bounded; safe to use from several threads.
template <class Value>
class SharedMemo {
 public:
  explicit SharedMemo(size_t capacity) : capacity_(capacity) {}
  using Shared = std::shared_ptr<const Value>;

  Shared find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (const auto found = current_.find(key); found != current_.end()) return found->second;
    if (const auto found = previous_.find(key); found != previous_.end()) return found->second;
    return nullptr;
  }
  /// What is known under this key, else what `compute` makes, which is then kept.
  template <class Compute>
  Shared get(const std::string& key, const Compute& compute) {
    if (auto known = find(key)) return known;
    auto made = std::make_shared<const Value>(compute());
    keep(key, made);
    return made;
  }
  void keep(const std::string& key, Shared value) {
    const std::lock_guard lock(mutex_);
    if (current_.size() >= capacity_) previous_ = std::exchange(current_, {});
    current_[key] = std::move(value);
  }

 private:
  std::mutex mutex_;
  size_t capacity_;
  std::map<std::string, Shared> current_, previous_;  ///< two generations
};

/// What searches share that model alike; never changes a result.
class PredictionCache {
 public:
  using Fitted = Result<std::unique_ptr<Predictor>>;

  /// `capacity`: of predictions, each of which is as large as what may be chosen.
  explicit PredictionCache(size_t capacity = 4096) : predictions(capacity) {}

  /// Names references and candidates in keys: their address, which no others get as long as the
  /// cache holds them.
  const void* hold(const std::shared_ptr<const void>& named) {
    const std::lock_guard lock(mutex_);
    held_.insert(named);
    return named.get();
  }

  SharedMemo<Result<Prediction>> predictions;  ///< by what they were fitted on, and are of
  SharedMemo<Result<Posterior>> drawn{32};     ///< the last ones by draws, likewise
  SharedMemo<Fitted> fitted{4};                ///< the last predictors, likewise
  SharedMemo<std::vector<Ask>> rounds{512};    ///< rounds of `als` by what was known

 private:
  std::mutex mutex_;
  std::set<std::shared_ptr<const void>> held_;
};

/// What a prediction of this role depends on, as a key of the options' cache, which is not null.
std::string prediction_key(const History& history, size_t role, const SearchOptions& options);

/// Fits the options' predictor on the role's readings and predicts all its candidates, measured
/// ones too. Shared through the cache where there is one; never null.
std::shared_ptr<const Result<Prediction>> predict_role(const History& history, size_t role,
                                                       const SearchOptions& options);

/// What it makes of the role's readings as surfaces over some of its candidates, measured ones too.
/// Errors as of posterior_of().
Result<Draws> draws_of(const History& history, size_t role, std::span<const size_t> candidates,
                       const SearchOptions& options, size_t count);

/// Fits the options' predictor on the role's readings and predicts its candidates. Those that were
/// measured have their reading and no spread. The error is the predictor's, e.g. too few rows, or
/// that there is none.
Result<Posterior> posterior_of(const History& history, size_t role, const SearchOptions& options);
/// The same by draws of all that the predictor believes (Predictor::posterior).
Result<Posterior> drawn_posterior_of(const History& history, size_t role,
                                     const SearchOptions& options);
/// Posteriors of every role; the error is that of the first that has none.
Result<std::vector<Posterior>> posteriors_of(const History& history, const SearchOptions& options);

/// The readings of all candidates; where there are none and no trial failed, the medians of the
/// posterior. NaN where nothing can be predicted, and of likely_failures().
Readings known_or_predicted(const History& history, const SearchOptions& options);

}  // namespace flyball
