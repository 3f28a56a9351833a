// A log of tegrastats as the store keeps it, and beside the trials of a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "store/store.h"
#include "telemetry/sampling/tegrastats.h"

namespace flyball {

/// What was taken of the log, with mean and range of each trace.
Json log_json(const TegrastatsLog& log);

/// The trials of the run with the power that the log has of them. Errors: there is no such run; as
/// logged_trials().
Result<Json> joined_log_json(Store& store, int64_t run, const Trace& power);

/// How somebody asked for the log.
struct LogImport {
  std::string command;         ///< as it was typed
  std::optional<int64_t> run;  ///< that it was joined to
  TegrastatsOptions clock;
};
struct KeptLog {
  int64_t run = 0;
  bool there = false;  ///< an earlier import holds this log, read in the same way
};
/// Keeps it as a run of its own, once: `document` (log_json() and what else was found) with the
/// samples. `text`: the whole log.
Result<KeptLog> keep_log(Store& store, const LogImport& import, std::string_view text,
                         const TegrastatsLog& log, const Json& document);

}  // namespace flyball
