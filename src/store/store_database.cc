#include "store/store_database.h"

#include <fmt/format.h>

#include <map>

#include "sql/process.h"
#include "store/postgres_schema.h"
#include "store/schema.h"

namespace flyball {

bool is_quickly_checked(const std::filesystem::path& file, int64_t limit) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  return !failed && size <= static_cast<uint64_t>(limit);
}

Result<Database> open_store_database(const std::filesystem::path& place,
                                     const StoreOptions& options, const FileWords& words) {
  if (names_postgres(place.string()))
    return Error{Code::invalid_argument,
                 fmt::format("{} is a database that stores are collected into", place.string()),
                 "measure into a file (--store FILE), and then `flyball collect FILE --into` it"};
  if (looks_like_conninfo(place.string()))
    return Error{
        Code::invalid_argument, "a store is not named as a connection string of libpq",
        "name a database as postgresql://[USER@]HOST/DATABASE or service=NAME (its password "
        "stands in ~/.pgpass), a file whose name has \"host=\" by a path: ./host=…"};
  const std::filesystem::path file = Store::file_of(place);
  std::error_code ignored;
  if (!options.create && !std::filesystem::exists(file, ignored))
    return Error{Code::not_found, fmt::format("there is no store {}", file.string()),
                 "check the path; `flyball tune` and `flyball import` make a store"};
  FLYBALL_ASSIGN(Database database,
                 Database::open(file, {options.busy_timeout_ms, options.max_pages, words}));
  // In one transaction: another process may be making the store between two reads.
  FLYBALL_CHECK(database.run_script("BEGIN"));
  FLYBALL_CHECK(check_is_store(database));
  FLYBALL_CHECK(database.run_script("COMMIT"));
  if (is_quickly_checked(file, options.checked_bytes)) FLYBALL_CHECK(database.check(false));
  if (options.migrate) FLYBALL_CHECK(database.use_wal());
  FLYBALL_CHECK(options.migrate ? migrate(database) : check_is_newest(database));
  return database;
}

Result<Database> open_store_database_to_read(const std::filesystem::path& place,
                                             const StoreOptions& options) {
  if (names_postgres(place.string())) {
    FLYBALL_ASSIGN(Database database, Database::connect(place.string(), true));
    FLYBALL_CHECK(check_is_newest_postgres(database));
    return database;
  }
  auto opened = open_store_database(place, options);
  const std::filesystem::path file = Store::file_of(place);
  std::error_code ignored;
  if (opened.ok() || !std::filesystem::is_regular_file(file, ignored)) return opened;
  const Code problem = opened.error().code;
  if (problem != Code::permission && problem != Code::io) return opened;
  FLYBALL_ASSIGN(Database database, problem == Code::io && has_log(file)
                                        ? Database::open_on_full_disk(file)
                                        : Database::open_read_only(file));
  FLYBALL_CHECK(check_is_store(database));
  // It may be written, and yet was not brought up to date: what kept it from that is said.
  if (const Status newest = check_is_newest(database); !newest.ok())
    return problem == Code::io ? opened.error() : newest.error();
  if (is_quickly_checked(file, options.checked_bytes)) FLYBALL_CHECK(database.check(false));
  return database;
}

Status settle_running_runs(const std::filesystem::path& copy) {
  FLYBALL_ASSIGN(Database database, open_store_database(copy, {.create = false, .migrate = false}));
  std::map<int64_t, bool> running;
  FLYBALL_CHECK(
      database.run("SELECT id, process FROM runs WHERE state = 'running'", {}, [&](const Row& row) {
        running[row.integer(0)] = is_running(row.text(1));
        return Status();
      }));
  for (const auto& [id, goes_on] : running)
    FLYBALL_CHECK(
        goes_on ? database.run("UPDATE runs SET process = ? WHERE id = ?", {ran_when_copied, id})
                : database.run("UPDATE runs SET state = 'interrupted' WHERE id = ?", {id}));
  return {};
}

Result<Database> open_postgres_store(const std::string& place) {
  FLYBALL_ASSIGN(Database database, Database::connect(place, false));
  FLYBALL_CHECK(migrate_postgres(database));
  return database;
}

}  // namespace flyball
