// What `flyball serve` was asked, and its two ways to do it: really, and in simulated time.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/planning.h"
#include "schedule/live/live_serving.h"
#include "schedule/planning/replanner.h"

namespace flyball::cli {

inline constexpr int64_t usual_train_batch = 16;
inline constexpr int usual_workers = 1;

struct ServeOptions {
  PlanOptions plan;  ///< roles, device, data, limits, as `flyball plan` has them
  std::vector<ArrivalSpec> arrivals;
  double seconds = 0;  ///< 0: until it is stopped, or a trace ends
  std::string overload = "refuse";
  size_t queue_bound = 4096;
  int64_t batch = 0;  ///< largest; 0: chosen
  /// Of a training: as the user asked, else as the plan chose, else the usual ones.
  std::optional<int64_t> train_batch;
  std::optional<int> workers;
  /// Tables of what is profiled; empty: live the store's measurements, of tables all of them.
  std::vector<std::string> profiles;
  size_t measure = 0;          ///< modes that nobody profiled, measured while it serves
  std::vector<double> shares;  ///< of trainings
  std::string checkpoint;      ///< folder of trainings; "": the user's own
  double checkpoint_s = 30;
  bool no_checkpoint = false;
  bool promote = false;        ///< at each checkpoint trained weights are served
  std::string weights, trace;  ///< files
  std::string listen;          ///< HOST:PORT of the endpoint; "": the usual one
  std::string token_file;      ///< what clients must bear; "": FLYBALL_TOKEN, or nothing
  bool insecure = false;       ///< everybody may ask without a token
  size_t body_bytes = 0;       ///< of all requests' bodies together; 0: the usual
  double jitter = 0;           ///< simulated

  Result<Overload> overload_policy() const;
  /// Is there an HTTP endpoint: requests come over it, or it is asked for beside another source.
  bool listens() const;
  /// Of each service, requests/s, as the plan begins with it; 0: nobody knows.
  std::vector<double> planned_rates_hz() const;
  bool rates_known() const;
};

/// A result with what the machine says of it.
struct Served {
  LiveResult result;
  LiveTimeline timeline;
  std::vector<std::string> notes;
  std::string device, power_gap;
  nlohmann::ordered_json plan;  ///< the choice; null: there is none, or a rate is not known
  bool simulated = false;
};

/// Networks on this machine. Errors: those of opening and warming up; a training that fails.
Result<Served> serve_live(ServeOptions& options);
/// Tables, in simulated time.
Result<Served> serve_simulated(ServeOptions& options);

}  // namespace flyball::cli
