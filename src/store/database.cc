#include "store/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cmath>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "store/page_checksums.h"
#include "store/process.h"

namespace flyball {
namespace {

void bind(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value.held)) {
    sqlite3_bind_int64(statement, index, *integer);
  } else if (const auto* real = std::get_if<double>(&value.held)) {
    sqlite3_bind_double(statement, index, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value.held)) {
    sqlite3_bind_text64(statement, index, text->data() ? text->data() : "", text->size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
  } else if (const auto* blob = std::get_if<Value::Blob>(&value.held)) {
    sqlite3_bind_blob64(statement, index, blob->bytes.data() ? blob->bytes.data() : "",
                        blob->bytes.size(), SQLITE_TRANSIENT);
  } else {
    sqlite3_bind_null(statement, index);
  }
}

// Said before SQLite finds its own words for it.
Status check_place(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return file_error("open the store", path, EISDIR);
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return Error{Code::invalid_argument,
                 fmt::format("the store {} is a pipe or a device, not a file", path.string()),
                 "name a file, or a folder to keep it in"};
  std::filesystem::create_directories(folder, error);
  if (error) return file_error("create the store's folder", folder, error.value());
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return file_error("write into the store's folder", folder, errno);
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0 && errno != ENOENT)
    return file_error("write to the store", path, errno);
  return {};
}

// "file:/a%20b/store.db"
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    uri +=
        std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '-' || c == '_'
            ? std::string(1, c)
            : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return uri;
}

}  // namespace

bool has_log(const std::filesystem::path& database) {
  std::error_code none;
  const auto size = std::filesystem::file_size(database.string() + "-wal", none);
  return !none && size > 0;
}

bool Row::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

int64_t Row::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Row::real(int column) const {
  return is_null(column) ? std::nan("") : sqlite3_column_double(statement_, column);
}

std::string Row::text(int column) const {
  return std::string(blob(column));
}

std::string_view Row::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {bytes ? bytes : "", static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}
void Database::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

// What is damaged is not written to any more, not even with what is in the log beside it.
Error Database::damage(const std::string& what) {
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  const std::string file = path_.string();
  const std::string log = fmt::format("; mv '{0}-wal' '{0}.damaged-wal'", file);
  damage_ = Error{Code::corrupt, fmt::format("the store {} is damaged: {}", file, what),
                  fmt::format("it was left as it is; move it away (mv '{0}' '{0}.damaged'{1}), "
                              "`sqlite3 '{0}.damaged' .recover` shows what can be saved",
                              file, has_log(path_) ? log : "")};
  return *damage_;
}

Error Database::failure(int code) {
  const std::string file = path_.string();
  const char* reason = sqlite3_errmsg(connection_.get());
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::conflict,
              fmt::format("the store {} is being written by {}", file, lock_holder(path_)),
              "wait until it has finished, or choose another store with --store"};
    case SQLITE_FULL:
      return {Code::io, fmt::format("no space left for the store {}", file),
              "free some disk space and run the same command again; nothing stored is lost"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return {Code::permission, fmt::format("cannot write to the store {}: {}", file, reason),
              "check the permissions of the file and its folder, or choose another --store"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return damage(reason);
    case SQLITE_IOERR:
      break;
    default:
      return {Code::internal, fmt::format("the store {}: {}", file, reason), ""};
  }
  if (code == SQLITE_IOERR_DATA)
    return damage(fmt::format("page {} (of 4096 bytes) contradicts its checksum",
                              refused_page(connection_.get())));
  const int system = sqlite3_system_errno(connection_.get());
  if (system != 0) return file_error("use the store", path_, system);
  return {Code::io, fmt::format("cannot use the store {}: {}", file, reason),
          "check the disk; `dmesg` may say more"};
}

Result<Database> Database::connect(const std::filesystem::path& path, const std::string& name,
                                   int flags) {
  Database database;
  database.path_ = path;
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &connection, flags, checksummed_file_system());
  database.connection_.reset(connection);
  if (code != SQLITE_OK) return database.failure(code);
  sqlite3_extended_result_codes(connection, 1);
  int reserved = page_checksum_bytes;  // of a file that is made; others keep what they have
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  return database;
}

Result<Database> Database::open(const std::filesystem::path& path, const DatabaseOptions& options) {
  FLYBALL_CHECK(check_place(path));
  FLYBALL_ASSIGN(Database database,
                 connect(path, path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  database.options_ = options;
  sqlite3_busy_timeout(database.connection_.get(), options.busy_timeout_ms);
  FLYBALL_CHECK(database.run_script("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"));
  if (options.max_pages > 0)
    FLYBALL_CHECK(
        database.run_script(fmt::format("PRAGMA max_page_count={}", options.max_pages).c_str()));
  return database;
}

// In WAL mode SQLite wants to write beside the file even to read it, unless it is told that nobody
// changes it.
Result<Database> Database::open_read_only(const std::filesystem::path& path) {
  if (has_log(path))
    return Error{Code::permission,
                 fmt::format("the store {} has changes in {}-wal that only a writer can take in",
                             path.string(), path.filename().string()),
                 "copy both files to a folder of your own, and name it with --store"};
  return connect(path, uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

// A connection that has the file for itself keeps the index of the log in its own memory, not in a
// file beside it.
Result<Database> Database::open_on_full_disk(const std::filesystem::path& path) {
  FLYBALL_ASSIGN(Database database, connect(path, path.string(), SQLITE_OPEN_READWRITE));
  sqlite3_db_config(database.connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  FLYBALL_CHECK(database.run_script("PRAGMA locking_mode=EXCLUSIVE; PRAGMA query_only=ON;"));
  return database;
}

// The switch to WAL needs the file alone and, unlike other statements, does not wait for it.
Status Database::use_wal() {
  const Stopwatch waited;
  while (true) {
    const Status status = run_script("PRAGMA journal_mode=WAL");
    if (status || status.error().code != Code::conflict ||
        waited.milliseconds() > options_.busy_timeout_ms)
      return status;
    sleep_until_ns(monotonic_ns() + 5'000'000);
  }
}

Status Database::check(bool thorough) {
  std::string complaint;
  FLYBALL_CHECK(run(thorough ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)", {},
                    [&](const Row& row) {
                      complaint = row.text(0);
                      return Status();
                    }));
  if (complaint == "ok") return {};
  if (refused_page(connection_.get()) > 0) return failure(SQLITE_IOERR_DATA);
  return damage(join(split(complaint, '\n'), " "));
}

Result<sqlite3_stmt*> Database::prepare(std::string_view sql) {
  if (damage_ && sql != "ROLLBACK") return *damage_;
  const auto known = prepared_.find(sql);
  if (known != prepared_.end()) return known->second.get();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failure(code);
  prepared_.emplace(sql, Prepared(statement));
  return statement;
}

Status Database::run(std::string_view sql, std::initializer_list<Value> values,
                     const OnRow& on_row) {
  FLYBALL_ASSIGN(sqlite3_stmt* const statement, prepare(sql));
  int index = 0;
  for (const Value& value : values) bind(statement, ++index, value);
  Status status;
  int code = SQLITE_ROW;
  while (status && (code = sqlite3_step(statement)) == SQLITE_ROW)
    if (on_row) status = on_row(Row(statement));
  if (status && code != SQLITE_DONE) status = failure(code);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status;
}

Status Database::run_script(const char* sql) {
  if (damage_) return *damage_;
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

Result<int64_t> Database::integer(std::string_view sql, std::initializer_list<Value> values) {
  int64_t answer = 0;
  FLYBALL_CHECK(run(sql, values, [&](const Row& row) {
    answer = row.integer(0);
    return Status();
  }));
  return answer;
}

int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}
int64_t Database::changes() const {
  return sqlite3_changes64(connection_.get());
}

Result<Transaction> Transaction::begin(Database& database) {
  FLYBALL_CHECK(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // It fails when SQLite has rolled back by itself, after a full disk; nothing is left to undo.
  if (database_) static_cast<void>(database_->run("ROLLBACK"));
}

Status Transaction::commit() {
  FLYBALL_CHECK(database_->run("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace flyball
