// Between the store and measured tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "space/import_map.h"
#include "space/table.h"
#include "store/store.h"
#include "store/stored_trials.h"

namespace flyball {

/// The rows of a table as measurements of the provenance that each has there. `fingerprint` says
/// where they come from: two files about one board are different conditions. `started_utc` is when
/// it was taken in.
std::vector<Measurement> measurements_of(const WorkloadTable& table, const std::string& fingerprint,
                                         const std::string& started_utc);

/// What the store took of a file.
struct TablesTaken {
  /// A part of the file that an earlier run holds.
  struct There {
    std::string title;
    StoredRun run;
  };
  size_t rows = 0;
  std::vector<std::string> titles;  ///< of the parts that are new
  std::vector<There> there;
};

/// Takes each workload of the tables in as a run of its own, unless an earlier run has imported it
/// with the same content. `command`: as it was typed. What of the file was not taken stays with
/// the run.
Result<TablesTaken> take_in(Store& store, const Imported& imported, const std::string& command);

/// Measurements as tables, one for each device, workload, phase, set of axes and power total, in
/// the order in which they first occur. Failed trials are left out. A measurement without power
/// stands in the first table that fits otherwise.
std::vector<WorkloadTable> tables_of(std::span<const StoredMeasurement> measurements);

/// Why trials make no table of which nothing is left but whole runs: its times are those of
/// minibatches.
Error no_minibatches(const LeftOutTrials& left_out);

/// Tables of one file share its columns, and rows of one workload their power total. Error: these
/// do not, and need files of their own.
Status check_one_file(std::span<const WorkloadTable> tables);

/// Under how many different conditions they were measured, of which a table does not tell.
size_t count_conditions(std::span<const StoredMeasurement> measurements);
/// What the boards are called that they were measured on, sorted, each once: "" is this store's
/// own. A table tells the kinds alone.
std::vector<std::string> boards_of(std::span<const StoredMeasurement> measurements);
/// How many of them were measured on a busy machine, likewise.
size_t count_doubtful(std::span<const StoredMeasurement> measurements);

}  // namespace flyball
