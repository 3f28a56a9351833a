// What is asked of a run of `flyball serve`, live or in simulated time, and what came of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "schedule/planning/serving_plan.h"
#include "telemetry/sampling/trace_export.h"

namespace flyball {

inline constexpr int usual_workers = 1;  ///< of a training, which fill while requests are served

/// `plan.cancelled` ends it: live after a drain.
struct ServeRequest : ServingRequest {
  std::vector<std::string> train, infer;  ///< workloads
  double seconds = 0;                     ///< 0: until it is cancelled, or a trace ends
  size_t measure = 0;                     ///< modes that nobody profiled, measured while it serves
  size_t most_spans = 0;                  ///< of what ran that are kept
  double jitter = 0;                      ///< simulated
  /// Samples of a service's minibatch, where somebody else makes it and each request is one;
  /// nothing: requests are samples, and as many as wait share a minibatch.
  std::optional<int64_t> turn_batch{};
  // The others are of networks that run.
  int64_t batch = 0;  ///< largest; 0: chosen
  /// Of a training: as the user asked, else as the plan chose, else the usual ones.
  std::optional<int64_t> train_batch{};
  std::optional<int> workers{};
  std::vector<double> shares{};         ///< of trainings
  std::filesystem::path checkpoints{};  ///< folder of trainings; empty: none are kept
  /// Other trainings are kept in that folder, too: each file is named by its data and settings.
  bool shared_checkpoints = false;
  double checkpoint_s = 30;
  bool promote = false;          ///< at each checkpoint trained weights are served
  std::string weights{};         ///< a checkpoint to serve; "": fresh weights
  std::string device{}, data{};  ///< as the user named them, for hints

  /// Of each service, requests/s, as the plan begins with it; 0: nobody knows.
  std::vector<double> planned_rates_hz() const;
  bool rates_known() const;
  /// Errors: promotion without checkpoints, or of no network that is served; two trainings that
  /// would be kept in one file.
  Status check() const;
  /// Of a training; empty where none are kept. `key` tells its data and settings.
  std::filesystem::path checkpoint_of(const std::string& workload, const std::string& key) const;
};

/// A result with what the machine says of it.
struct ServedRun {
  ServingResult result;
  ServingTimeline timeline;
  std::vector<std::string> notes;
  std::string device, power_gap;
  Json plan;  ///< the choice; null: there is none, or a rate is not known
  bool simulated = false;
  std::vector<Span> spans{};  ///< at most `most_spans`, the first ones
  int64_t began_ns = 0;       ///< of their clock
};

}  // namespace flyball
