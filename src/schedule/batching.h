// How many requests a batch waits for while something trains: a larger one spends less of the
// accelerator on each request, which is then trained with, and answers later.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "problem/preference.h"

namespace flyball {

/// Of the training that batches at the latest safe time leave (docs/live.md).
inline constexpr double kept_training = 0.99;
/// Requests that a batch waits for where deadlines alone begin it: more than ever come.
inline constexpr int64_t until_deadlines = std::numeric_limits<int64_t>::max();

/// One service, as its batches are weighed.
struct BatchedService {
  double rate_hz = 0;  ///< requests that come
  double budget_ns = 0;
  int64_t largest_batch = 1;
  std::function<double(int64_t batch)> batch_ns;  ///< that a minibatch takes, typically
};

/// The requests that each service's batches wait for beside trainings whose minibatch takes so
/// long. Batches of k requests come λ/k times a second, k of those which gather while the first
/// one waits, so that Σ λ·t(k)/k of the time is theirs and the rest is trained with.
std::vector<int64_t> worth_gathering(const std::vector<BatchedService>& services,
                                     double training_ns, const Preference& preference);

}  // namespace flyball
