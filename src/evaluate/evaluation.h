// What judging predictors on a measured table asks for, whatever their predictions are used for.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "space/table.h"

namespace flyball {

struct Evaluation {
  WorkloadTable target;  ///< its truth is the median of each configuration
  std::vector<WorkloadTable> references;
  std::vector<std::string> predictors;
  size_t runs = 10;
  uint64_t seed = 1;
  size_t threads = 0;  ///< 0: all cores; all but the seconds are independent of it
  /// Called from one thread at a time with what is done and in all.
  std::function<void(size_t done, size_t all)> progress;

  /// Error: there is no such predictor.
  Status check_predictors() const;
  /// The rows of `truth` that a run profiles. Errors: choose_configurations().
  Result<std::vector<size_t>> choose_modes(const WorkloadTable& truth, const std::string& design,
                                           size_t modes, size_t run) const;
  /// score(0) … score(all − 1), on all threads.
  template <class Score>
  auto score_all(size_t all, Score score) const {
    std::vector<decltype(score(size_t{0}))> scores(all);
    size_t done = 0;
    std::mutex mutex;
    parallel_for(
        all,
        [&](size_t i) {
          scores[i] = score(i);
          const std::lock_guard lock(mutex);
          if (progress) progress(++done, all);
        },
        threads);
    return scores;
  }
};

}  // namespace flyball
