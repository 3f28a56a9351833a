#include "recording/record_database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/files.h"

namespace flyball {
namespace {

constexpr const char* tables = R"(
CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE channel(number INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,
  kind INTEGER NOT NULL, source TEXT NOT NULL, total TEXT NOT NULL, source_period_s REAL NOT NULL,
  wrap REAL NOT NULL, max_rate REAL NOT NULL, throttling INTEGER NOT NULL,
  period_s REAL NOT NULL, step REAL NOT NULL);
CREATE TABLE block(id INTEGER PRIMARY KEY, level INTEGER NOT NULL, begin INTEGER NOT NULL,
  end INTEGER NOT NULL, open INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE INDEX block_order ON block(level, begin, end, open, id);
CREATE TABLE mark(id INTEGER PRIMARY KEY, tick INTEGER NOT NULL, name TEXT NOT NULL);
)";

// A file of an index or a view in a table's place would answer what it likes.
Status check_tables(Database& database) {
  FLYBALL_CHECK(database.run_script("PRAGMA trusted_schema=OFF"));
  FLYBALL_ASSIGN(const int64_t found,
                 database.integer("SELECT count(*) FROM sqlite_master WHERE type='table' AND name "
                                  "IN ('fact','channel','block','mark')"));
  FLYBALL_ASSIGN(const int64_t others,
                 database.integer("SELECT count(*) FROM sqlite_master WHERE type NOT IN "
                                  "('table','index')"));
  if (found == 4 && others == 0) return {};
  return Error{Code::corrupt,
               fmt::format("the record {} lacks its tables", database.path().string()),
               "it was stopped before it began, or it is no record of this program"};
}

constexpr FileWords words = {.noun = "record",
                             .made_by = "`flyball record` writes such files",
                             .or_another = "",
                             .and_named = "",
                             .kept = "; what was recorded is kept"};

uint32_t big_endian(const char* bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace

Result<bool> begins_as_record(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const OpenedFile opened, open_regular(file));
  std::array<char, 100> head{};
  const ssize_t got = ::pread(opened.descriptor.get(), head.data(), head.size(), 0);
  if (got < 0) return file_error("read", file, errno);
  return static_cast<size_t>(got) == head.size() &&
         std::string_view(head.data(), 15) == "SQLite format 3" &&
         big_endian(head.data() + 68) == record_application_id;
}

Result<Database> create_record(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored))
    return Error{Code::invalid_argument, fmt::format("{} is there already", file.string()),
                 "a record is never written over: name another file with -o, or remove it"};
  FLYBALL_ASSIGN(Database database, Database::open(file, {.words = words}));
  // Its first page is in the file itself, whatever happens to the log behind it.
  const std::string head = fmt::format("PRAGMA application_id={}; PRAGMA user_version={};",
                                       record_application_id, record_format);
  FLYBALL_CHECK(database.run_script((head + "BEGIN;" + tables + "COMMIT;").c_str()));
  FLYBALL_CHECK(database.use_wal());
  // The log beside the file stays below 1 MiB.
  FLYBALL_CHECK(
      database.run_script("PRAGMA wal_autocheckpoint=200; "
                          "PRAGMA journal_size_limit=1048576"));
  return database;
}

Result<Database> open_record(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const bool record, begins_as_record(file));
  if (!record)
    return Error{Code::invalid_argument, fmt::format("{} is no record", file.string()),
                 "`flyball record` writes such files"};
  FLYBALL_ASSIGN(Database database, has_log(file) ? Database::open(file, {.words = words})
                                                  : Database::open_read_only(file, words));
  FLYBALL_CHECK(check_tables(database));
  FLYBALL_ASSIGN(const int64_t version, database.integer("PRAGMA user_version"));
  if (version != record_format)
    return Error{Code::invalid_argument,
                 fmt::format("{} has format {}, this version reads {}", file.string(), version,
                             record_format),
                 "open it with the version that wrote it"};
  return database;
}

}  // namespace flyball
