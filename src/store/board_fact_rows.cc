#include <fmt/format.h>

#include "store/rows.h"

namespace flyball {
namespace {

Result<BoardFact> read_fact(const Row& row) {
  BoardFact fact;
  fact.id = row.integer(0);
  FLYBALL_ASSIGN(fact.kind, parse_board_fact(row.text(1)));
  fact.device = row.text(2);
  fact.fingerprint = row.text(3);
  fact.json = row.text(4);
  fact.measured_utc = row.text(5);
  fact.command = row.text(6);
  fact.origin = read_origin(row, 7);
  return fact;
}

}  // namespace

Result<int64_t> insert_board_fact(Database& database, const BoardFact& fact) {
  // The number that the next run would have had.
  FLYBALL_ASSIGN(const std::vector<int64_t> ids, database.reserve_ids("runs", 1));
  FLYBALL_CHECK(database.run(
      "INSERT INTO board_facts(id, kind, device, fingerprint, json, measured_utc, command) "
      "VALUES(?, ?, ?, ?, ?, ?, ?)",
      {ids.front(), board_fact_name(fact.kind), fact.device, fact.fingerprint, fact.json,
       fact.measured_utc, fact.command}));
  return database.last_id();
}

Result<std::vector<BoardFact>> select_board_facts(Database& database,
                                                  const BoardFactFilter& filter) {
  std::vector<BoardFact> facts;
  FLYBALL_CHECK(database.run(
      fmt::format("SELECT f.id, f.kind, f.device, f.fingerprint, f.json, f.measured_utc, "
                  "f.command, {} FROM board_facts f LEFT JOIN stores s ON s.id = f.store_id "
                  "WHERE (?1 IS NULL OR f.kind = ?1) AND (?2 IS NULL OR f.id = ?2) "
                  "ORDER BY f.measured_utc DESC, f.id DESC",
                  origin_columns("f")),
      {filter.kind ? Value(board_fact_name(*filter.kind)) : Value(),
       filter.id ? Value(*filter.id) : Value()},
      [&](const Row& row) -> Status {
        FLYBALL_ASSIGN(BoardFact fact, read_fact(row));
        facts.push_back(std::move(fact));
        return {};
      }));
  return facts;
}

}  // namespace flyball
