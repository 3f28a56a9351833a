// How serving and training stand, as the endpoint tells it: a page and a scraper of metrics look at
// the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/batch.h"

namespace flyball {

struct ServiceState {
  std::string name;
  double budget_ms = 0;
  size_t waiting = 0;
  size_t arrived = 0, answered = 0, late = 0, refused = 0, failed = 0;
  double p50_ms = std::numeric_limits<double>::quiet_NaN();  ///< since it began; NaN: none were
  double p99_ms = std::numeric_limits<double>::quiet_NaN();
  double recent_p50_ms = std::numeric_limits<double>::quiet_NaN();  ///< of the last minute
  double recent_p99_ms = std::numeric_limits<double>::quiet_NaN();
  double margin_ms = 0;              ///< of the budget, kept for the client's side
  int64_t largest_batch = 0;         ///< that the plan allows; 0: it is not ready yet
  std::vector<TensorSpec> inputs{};  ///< of one sample
};

struct TrainingState {
  std::string name;
  size_t minibatches = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< of the last ones; NaN: not known
  bool kept = false;                                       ///< on disk, when serving ends
};

/// What another preference would give, by simulation of the plan.
struct PreferenceState {
  double median_ms = 0, trainings_per_s = 0;
  bool chosen = false;
};

struct LiveState {
  double seconds = 0;     ///< since it began
  bool draining = false;  ///< takes no more requests, is about to end
  std::string device, mode;
  double power_w = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is no sensor
  size_t replans = 0, switches = 0;
  std::string prefer;                  ///< how soon, beside a training: `--prefer`
  std::vector<PreferenceState> front;  ///< the soonest answers first; empty: there is no plan
  std::vector<ServiceState> services;
  std::vector<TrainingState> trainings;
};

/// Thread-safe.
class LiveView {
 public:
  virtual ~LiveView() = default;
  virtual LiveState live_state() const = 0;
};

/// One line of JSON as docs/schema/live.json says, from which the page has its types; what is not
/// known is null.
std::string live_event(const LiveState& state);

}  // namespace flyball
