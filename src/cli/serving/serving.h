// What `flyball serve` was asked, and what it takes to do it: really, and in simulated time.
#pragma once

#include "cli/planning.h"
#include "cli/serving/serving_endpoint.h"
#include "schedule/serving/serve_request.h"
#include "schedule/serving/serving_profiles.h"

namespace flyball::cli {

struct ServeOptions {
  PlanOptions plan;    ///< roles, device, data, limits, as `flyball plan` has them
  ServeRequest asked;  ///< but for what the others say
  /// Tables of what is profiled; empty: live the store's measurements, of tables all of them.
  std::vector<std::string> profiles;
  std::string checkpoint;  ///< folder of trainings; "": the user's own
  bool no_checkpoint = false;
  std::string trace;  ///< file
  HttpQuestion http;

  /// Is there an HTTP endpoint: requests come over it, or it is asked for beside another source.
  bool listens() const;
};

/// Tables of these files, or the store's measurements.
ProfileSource profile_source(const std::vector<std::string>& files, Accepted accepted,
                             const StoreArguments& store);

/// Networks on this machine. Errors: those of opening and warming up; a training that fails.
Result<ServedRun> serve_networks(const ServeOptions& options);
/// Tables, in simulated time.
Result<ServedRun> serve_tables(ServeOptions& options);

}  // namespace flyball::cli
