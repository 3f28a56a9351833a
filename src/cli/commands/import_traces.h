// `flyball import --format tegrastats`.
#pragma once

#include <optional>
#include <string>

#include "cli/trace_files.h"

namespace flyball::cli {

struct ImportTraces {
  std::string file, out, store, command;
  std::optional<int64_t> run;  ///< of the store, that the log is joined to
  TraceFiles clock;            ///< how the log's times are read
  bool json = false;
};

/// Takes the log into the store, or into the file `out` (CSV, or a Chrome trace as .json), and
/// joins it to a run by time.
Status import_tegrastats(const ImportTraces& options);

}  // namespace flyball::cli
