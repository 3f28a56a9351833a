// What rows of the source are called in the target: stores, boards, jobs, conditions, and the rows
// of runs. Inside the room.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sql/database.h"

namespace flyball {

/// Where a row was made: the store's number in the target, and the row's number in that store.
struct RowOrigin {
  int64_t store = 0;
  int64_t row = 0;
  auto operator<=>(const RowOrigin&) const = default;
};

/// A table of rows that runs have, and the table that links them to runs.
struct LinkedRows {
  const char* table;
  const char* links;
  const char* link_column;
  std::vector<std::string> columns;     ///< that are copied as they are
  std::vector<std::string> references;  ///< "board_id", …: rows of other tables
};
const LinkedRows& measurement_rows();
const LinkedRows& experiment_rows();

/// A row of a run, in the run's order.
struct LinkedRow {
  int64_t position = 0, id = 0;  ///< of the source
  bool reused = false;
  RowOrigin origin;
};

class CollectedRows {
 public:
  CollectedRows(Database& from, Database& to) : from_(from), to_(to) {}

  /// Gives all stores, boards, jobs and conditions of the source a row in the target, each in a
  /// transaction of its own, so that processes that do so at once never wait for each other in a
  /// circle.
  Status prepare(const std::string& name, const std::string& board);
  /// The source's own identity, and its number in the target.
  const std::string& identity() const { return identity_; }
  int64_t own_store() const { return stores_.at(own_row_); }
  /// `store` and `row` as they stand in a row of the source: NULL where it was made there.
  RowOrigin origin(const Row& row, int store_column, int row_column, int64_t id) const;
  /// Was it made in the target itself, and collected from there?
  bool made_here(const RowOrigin& origin) const { return origin.store == target_own_; }
  /// What a reference of the source is in the target: "board_id", "job_id", "condition_id".
  Value reference(const std::string& column, const Value& id) const;
  /// Numbers in the target of those of the rows that are there.
  Result<std::map<RowOrigin, int64_t>> there(const char* table, std::span<const LinkedRow> rows);

 private:
  Status prepare_stores(const std::string& name, const std::string& board);
  Status prepare_table(const std::string& table, const std::vector<std::string>& columns,
                       const std::string& reference);

  Database& from_;
  Database& to_;
  std::string identity_;
  int64_t own_row_ = 0, target_own_ = 0;
  std::map<int64_t, int64_t> stores_;                             // source → target
  std::map<std::string, std::map<int64_t, int64_t>> references_;  // likewise, by column
};

}  // namespace flyball
