#include "collect/collected_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "store/rows.h"
#include "store/schema.h"

namespace flyball {
namespace {

struct StoreRow {
  int64_t id = 0;
  std::string store, name, flyball, collected_utc, board;
  bool own = false;
};

Result<std::vector<StoreRow>> stores_of(Database& database) {
  std::vector<StoreRow> stores;
  FLYBALL_CHECK(
      database.run("SELECT id, store, own, name, flyball, collected_utc, board FROM stores", {},
                   [&](const Row& row) {
                     stores.push_back({row.integer(0), row.text(1), row.text(3), row.text(4),
                                       row.text(5), row.text(6), row.integer(2) != 0});
                     return Status();
                   }));
  return stores;
}

// Of one to three texts.
Result<int64_t> number_of(Database& database, const std::string& sql,
                          const std::vector<std::string>& texts) {
  if (texts.size() == 1) return database.integer(sql, {texts[0]});
  if (texts.size() == 2) return database.integer(sql, {texts[0], texts[1]});
  return database.integer(sql, {texts[0], texts[1], texts[2]});
}

// Where it was collected first it has got another name, board or Flyball after it was collected
// from there.
Status rename(Database& to, const StoreRow& store) {
  FLYBALL_CHECK(
      to.run("UPDATE stores SET name = ?1, flyball = ?2, collected_utc = ?3 WHERE store = ?4 AND "
             "own = ?5 AND collected_utc <= ?3 AND (name <> ?1 OR flyball <> ?2)",
             {store.name, store.flyball, store.collected_utc, store.store, false}));
  return to.run(
      "UPDATE stores SET board = ?1 WHERE store = ?2 AND own = ?3 AND ?1 <> '' AND "
      "board <> ?1 AND (board = '' OR collected_utc <= ?4)",
      {store.board, store.store, false, store.collected_utc});
}

// The newest that has changed its tables.
Result<std::string> version_that_wrote(Database& database) {
  std::string version;
  FLYBALL_CHECK(database.run("SELECT flyball FROM migrations ORDER BY version DESC LIMIT 1", {},
                             [&](const Row& row) {
                               version = row.text(0);
                               return Status();
                             }));
  return version;
}

}  // namespace

const LinkedRows& measurement_rows() {
  static const LinkedRows rows = {"measurements",
                                  "run_measurements",
                                  "measurement_id",
                                  measurement_columns(),
                                  {"board_id", "job_id", "condition_id"}};
  return rows;
}

const LinkedRows& experiment_rows() {
  static const LinkedRows rows = {"experiment_runs",
                                  "run_experiment_runs",
                                  "experiment_run_id",
                                  {"settings", "repeat", "figures"},
                                  {"board_id", "condition_id"}};
  return rows;
}

Status CollectedRows::prepare(const std::string& name, const std::string& board) {
  FLYBALL_CHECK(prepare_stores(name, board));
  FLYBALL_CHECK(prepare_table("boards", {"device", "fingerprint"}, "board_id"));
  FLYBALL_CHECK(prepare_table("jobs", {"workload", "phase", "settings"}, "job_id"));
  return prepare_table("conditions", {"entries"}, "condition_id");
}

Status CollectedRows::prepare_stores(const std::string& name, const std::string& board) {
  FLYBALL_ASSIGN(identity_, own_identity(from_));
  FLYBALL_ASSIGN(const std::string here, own_identity(to_));
  if (identity_ == here)
    return Error{
        Code::invalid_argument,
        fmt::format("{} is the store {} itself, or a copy of it", name, to_.path().string()),
        "name another one to collect into"};
  FLYBALL_ASSIGN(const std::string version, version_that_wrote(from_));
  FLYBALL_ASSIGN(const std::vector<StoreRow> stores, stores_of(from_));
  for (const StoreRow& store : stores) {
    FLYBALL_CHECK(
        to_.run("INSERT INTO stores(store, own, name, flyball, collected_utc, board) "
                "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                {store.store, false, store.name, store.flyball, store.collected_utc, store.board}));
    if (store.own) {
      own_row_ = store.id;
      FLYBALL_CHECK(
          to_.run("UPDATE stores SET name = ?, flyball = ? WHERE store = ? AND "
                  "(name <> ?1 OR flyball <> ?2)",
                  {name, version, store.store}));
      if (!board.empty())
        FLYBALL_CHECK(to_.run("UPDATE stores SET board = ? WHERE store = ? AND board <> ?1",
                              {board, store.store}));
    } else {
      FLYBALL_CHECK(rename(to_, store));
    }
    FLYBALL_ASSIGN(stores_[store.id],
                   to_.integer("SELECT id FROM stores WHERE store = ?", {store.store}));
  }
  FLYBALL_ASSIGN(target_own_, to_.integer("SELECT id FROM stores WHERE store = ?", {here}));
  return {};
}

Status CollectedRows::prepare_table(const std::string& table,
                                    const std::vector<std::string>& columns,
                                    const std::string& reference) {
  std::map<int64_t, std::vector<std::string>> rows;
  FLYBALL_CHECK(from_.run(fmt::format("SELECT id, {} FROM {}", join(columns, ", "), table), {},
                          [&](const Row& row) {
                            for (size_t i = 0; i < columns.size(); ++i)
                              rows[row.integer(0)].push_back(row.text(static_cast<int>(i + 1)));
                            return Status();
                          }));
  const std::vector<std::string> marks(columns.size(), "?");
  const std::string insert = fmt::format("INSERT INTO {}({}) VALUES({}) ON CONFLICT DO NOTHING",
                                         table, join(columns, ", "), join(marks, ", "));
  const std::string select =
      fmt::format("SELECT id FROM {} WHERE {} = ?", table, join(columns, " = ? AND "));
  std::map<int64_t, int64_t>& numbers = references_[reference];
  for (const auto& [id, texts] : rows) {
    FLYBALL_ASSIGN(int64_t number, number_of(to_, select, texts));
    if (number == 0) {
      FLYBALL_CHECK(number_of(to_, insert, texts));
      FLYBALL_ASSIGN(number, number_of(to_, select, texts));
    }
    if (number == 0)
      return Error{
          Code::internal,
          fmt::format("a row of {} in {} cannot be found again", table, to_.path().string()), ""};
    numbers[id] = number;
  }
  return {};
}

RowOrigin CollectedRows::origin(const Row& row, int store_column, int row_column,
                                int64_t id) const {
  if (row.is_null(store_column)) return {own_store(), id};
  const auto store = stores_.find(row.integer(store_column));
  return {store == stores_.end() ? own_store() : store->second, row.integer(row_column)};
}

Value CollectedRows::reference(const std::string& column, const Value& id) const {
  const auto* number = std::get_if<int64_t>(&id.held);
  if (!number) return {};
  const auto& numbers = references_.at(column);
  const auto found = numbers.find(*number);
  return found == numbers.end() ? Value() : Value(found->second);
}

// Rows of one store lie close together: they are asked for as ranges.
Result<std::map<RowOrigin, int64_t>> CollectedRows::there(const char* table,
                                                          std::span<const LinkedRow> rows) {
  constexpr uint64_t widest_gap = 1000;
  std::vector<RowOrigin> asked;
  for (const LinkedRow& row : rows) asked.push_back(row.origin);
  std::ranges::sort(asked);
  const std::string sql = fmt::format(
      "SELECT id, store_row FROM {} WHERE store_id = ? AND store_row BETWEEN ? AND ?", table);
  const std::string made_here =
      fmt::format("SELECT id, id FROM {} WHERE store_id IS NULL AND id BETWEEN ? AND ?", table);
  std::map<RowOrigin, int64_t> found;
  for (size_t begin = 0, end = 0; begin < asked.size(); begin = end) {
    const int64_t store = asked[begin].store;
    for (end = begin + 1;
         end < asked.size() && asked[end].store == store &&
         static_cast<uint64_t>(asked[end].row) - static_cast<uint64_t>(asked[end - 1].row) <=
             widest_gap;)
      ++end;
    const auto note = [&](const Row& row) {
      found[{store, row.integer(1)}] = row.integer(0);
      return Status();
    };
    const int64_t first = asked[begin].row, last = asked[end - 1].row;
    FLYBALL_CHECK(to_.run(sql, {store, first, last}, note));
    // Made here they have their own numbers, unless they were deleted since and came back.
    if (store == target_own_) FLYBALL_CHECK(to_.run(made_here, {first, last}, note));
  }
  return found;
}

}  // namespace flyball
