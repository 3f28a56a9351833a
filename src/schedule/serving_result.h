// What came of serving and training in turns.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "schedule/recent_latency.h"
#include "schedule/scheduler.h"

namespace flyball {

/// What came of one service's requests.
struct ServiceResult {
  std::string name;
  double budget_ms = 0;
  /// arrived = answered + refused + failed, once nothing waits
  size_t arrived = 0, answered = 0, late = 0, refused = 0;
  size_t failed = 0;           ///< the network could not run them
  LatencyHistogram latency{};  ///< of those answered
  RecentLatency recent{};      ///< the same, of the last minute; of a run with real clocks
  size_t batches = 0, samples = 0, largest_queue = 0;
  size_t waiting = 0;         ///< now; of a run that goes on
  int64_t largest_batch = 0;  ///< that ran
  int64_t planned_batch = 0;
  double busy_s = 0;    ///< in its minibatches
  double energy_j = 0;  ///< of them; NaN: power is not known
  size_t came = 0;      ///< those that had this place before (Execution::replace())

  /// A request has been answered. Was it late?
  bool answer(int64_t latency_ns);
  bool is_late(double ms) const;
  double late_share() const;  ///< late, refused or failed, of those that arrived
};

struct TrainingResult {
  std::string name;
  size_t minibatches = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< of the last ones; NaN: not known
  std::optional<double> planned{};  ///< minibatches that the plan has for this time
  double busy_s = 0;
  double energy_j = 0;  ///< of its minibatches; NaN: power is not known
  size_t came = 0;      ///< as of a service
};

inline constexpr size_t most_replans = 1000;  ///< kept in a result

/// A change of plan.
struct Replan {
  double at_s = 0;
  std::string why{}, mode{};
  double rate_hz = 0;
  int64_t batch = 0;
  bool switched = false;  ///< of mode
  double training = 1;    ///< part of the time that trainings may have; of the broker
};

/// What was observed of one batch size of a role in a mode that was visited.
struct ObservedBatch {
  std::string workload;
  double batch = 0, minibatch_ms = 0;
};

/// A mode that nobody had profiled, measured while it served (ServingPlannerOptions::measure).
struct MeasuredMode {
  double at_s = 0, seconds = 0;  ///< when, and how long it was served in
  std::string mode{};
  size_t batches = 0, minibatches = 0;  ///< observed, of services and trainings
  std::vector<ObservedBatch> observed{};
  double power_w = 0;  ///< mean while the hungrier role ran; NaN: not known
  std::string left{};  ///< why it was left before its time; "": it was not
};

/// Of a time, from which on its power is told as the mean of what is known of it.
inline constexpr double known_power_share = 0.99;

struct ServingResult {
  double seconds = 0;
  std::string mode;  ///< of power, at the beginning; "": it stays and is not named
  std::vector<ServiceResult> services;
  std::vector<TrainingResult> trainings;
  double energy_j = 0;  ///< NaN: power is not known
  /// Of services and trainings whose place others have; the energy as energy_j.
  double left_busy_s = 0, left_energy_j = 0;
  double switching_s = 0;
  size_t switches = 0;
  std::vector<Replan> replans;           ///< most_replans: the last, and changes of mode before
  size_t replan_count = 0;               ///< all
  std::optional<size_t> measure_most{};  ///< modes that were to be measured at most; nothing: none
  std::vector<MeasuredMode> measured{};
  std::string measuring_gap{};  ///< why no more were measured, where something kept it; else ""
  size_t decisions = 0;
  double deciding_s = 0, longest_decision_s = 0;  ///< that decisions took; 0 in simulated time
  std::string training_blocked;  ///< why training did not run at all; "" where it did

  double power_w() const { return energy_j / seconds; }
  double busy_s() const;
  void planned_anew(Replan why);
};

/// docs/json.md, `serve`.
Json to_json(const ServingResult& result);
/// In a sentence: how many requests were answered in time, and what was trained against the plan.
std::string live_verdict(const ServingResult& result);
/// The same as a person reads it.
std::string format_live(const ServingResult& result);

}  // namespace flyball
