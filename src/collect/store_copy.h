// What one store has and another does not, copied row by row. Inside the room.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collect/collect.h"
#include "collect/collected_rows.h"
#include "sql/database.h"

namespace flyball {

/// A run as it stands in the source or in the target.
struct RunStand {
  int64_t id = 0;
  RowOrigin origin;
  std::string command, started_utc, finished_utc, state, process;
  int64_t measurements = 0, experiment_runs = 0;
};

class StoreCopy {
 public:
  /// `name` is what the source is called, `board` whose it is ("": its own); both stay open while
  /// it copies.
  StoreCopy(Database& from, Database& to, const std::string& name, const std::string& board,
            Collected& collected)
      : from_(from), to_(to), name_(name), board_(board), collected_(collected), known_(from, to) {}

  /// A run in a transaction each. Within a snapshot of the source that the caller has begun.
  Status copy();

 private:
  Result<std::vector<RunStand>> stands();
  Result<std::optional<RunStand>> stand_there(const RowOrigin& origin);
  Status copy_run(const RunStand& run);
  Status write_run(const RunStand& run, const std::optional<RunStand>& there, int64_t id);
  Status copy_links(const RunStand& run, int64_t id, const LinkedRows& rows);
  Status copy_batch(std::span<const LinkedRow> batch, int64_t id, const LinkedRows& rows);
  Status copy_facts();
  Status copy_rows_without_run();
  Status check_counts(const RunStand& run, int64_t id);

  Database& from_;
  Database& to_;
  std::string name_, board_;
  Collected& collected_;
  CollectedRows known_;
};

}  // namespace flyball
