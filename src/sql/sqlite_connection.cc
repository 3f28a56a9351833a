#include "sql/sqlite_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <fstream>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "sql/page_checksums.h"
#include "sql/process.h"

namespace flyball {
namespace {

void bind(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.held)) {
    sqlite3_bind_int64(statement, index, *flag);
  } else if (const auto* integer = std::get_if<int64_t>(&value.held)) {
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
Status check_place(const std::filesystem::path& path, const std::string& noun) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return file_error("open the " + noun, path, EISDIR);
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return Error{Code::invalid_argument,
                 fmt::format("the {} {} is a pipe or a device, not a file", noun, path.string()),
                 "name a file, or a folder to keep it in"};
  std::filesystem::create_directories(folder, error);
  if (error) return file_error("create the folder of the " + noun, folder, error.value());
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return file_error("write into the folder of the " + noun, folder, errno);
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0 && errno != ENOENT)
    return file_error("write to the " + noun, path, errno);
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

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  bool is_null(int column) const override {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
  }
  int64_t integer(int column) const override { return sqlite3_column_int64(statement_, column); }
  double real(int column) const override {
    return is_null(column) ? std::nan("") : sqlite3_column_double(statement_, column);
  }
  std::string_view blob(int column) const override {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {bytes ? bytes : "", static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }
  Value value(int column) const override {
    switch (sqlite3_column_type(statement_, column)) {
      case SQLITE_NULL:
        return {};
      case SQLITE_INTEGER:
        return integer(column);
      case SQLITE_FLOAT:
        return real(column);
      case SQLITE_TEXT:
        return blob(column);
      default:
        return Value::Blob{blob(column)};
    }
  }

 private:
  sqlite3_stmt* statement_;
};

constexpr uintmax_t page_bytes = 4096;

// A store or a record begins so and is whole pages: what damages the one leaves the other.
bool was_never_a_store(const std::filesystem::path& path) {
  constexpr std::string_view beginning("SQLite format 3\0", 16);
  std::array<char, beginning.size()> read{};
  std::ifstream file(path, std::ios::binary);
  file.read(read.data(), read.size());
  const bool begins_so =
      file.gcount() == 16 && std::string_view(read.data(), read.size()) == beginning;
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  return !begins_so && !unknown && size % page_bytes != 0;
}

}  // namespace

bool has_log(const std::filesystem::path& database) {
  std::error_code none;
  const auto size = std::filesystem::file_size(database.string() + "-wal", none);
  return !none && size > 0;
}

Error SqliteConnection::other_file() {
  damage_ = Error{
      Code::corrupt,
      fmt::format("{} is no {}, but a file of another kind", path_.string(), options_.words.noun),
      options_.words.made_by};
  return *damage_;
}

// What is damaged is not written to any more, not even with what is in the log beside it.
Error SqliteConnection::damage(const std::string& what) {
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  const std::string file = path_.string();
  const std::string log = fmt::format("; mv '{0}-wal' '{0}.damaged-wal'", file);
  damage_ =
      Error{Code::corrupt, fmt::format("the {} {} is damaged: {}", options_.words.noun, file, what),
            fmt::format("it was left as it is; move it away (mv '{0}' '{0}.damaged'{1}), "
                        "`sqlite3 '{0}.damaged' .recover` shows what can be saved",
                        file, has_log(path_) ? log : "")};
  return *damage_;
}

Error SqliteConnection::failure(int code) {
  const FileWords& words = options_.words;
  const std::string file = fmt::format("the {} {}", words.noun, path_.string());
  const char* reason = sqlite3_errmsg(connection_.get());
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::conflict, fmt::format("{} is being written by {}", file, lock_holder(path_)),
              fmt::format("wait until it has finished{}", words.or_another)};
    case SQLITE_FULL:
      return {Code::io, fmt::format("no space left for {}", file),
              fmt::format("free some disk space{}", words.kept)};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return {Code::permission, fmt::format("cannot write to {}: {}", file, reason),
              fmt::format("check the permissions of the file and its folder{}", words.or_another)};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return was_never_a_store(path_) && !has_log(path_) ? other_file() : damage(reason);
    case SQLITE_IOERR:
      break;
    default:
      return {Code::internal, fmt::format("{}: {}", file, reason), ""};
  }
  if (code == SQLITE_IOERR_DATA)
    return damage(fmt::format("page {} (of 4096 bytes) contradicts its checksum",
                              refused_page(connection_.get())));
  const int system = sqlite3_system_errno(connection_.get());
  if (system != 0) return file_error(fmt::format("use the {}", words.noun), path_, system);
  return {Code::io, fmt::format("cannot use {}: {}", file, reason),
          "check the disk; `dmesg` may say more"};
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::connect(
    const std::filesystem::path& path, const std::string& name, int flags,
    const DatabaseOptions& options) {
  auto made = std::make_unique<SqliteConnection>();
  made->path_ = path;
  made->options_ = options;
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &connection, flags, checksummed_file_system());
  made->connection_.reset(connection);
  if (code != SQLITE_OK) return made->failure(code);
  sqlite3_extended_result_codes(connection, 1);
  int reserved = page_checksum_bytes;  // of a file that is made; others keep what they have
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  return made;
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::filesystem::path& path,
                                                                 const DatabaseOptions& options) {
  FLYBALL_CHECK(check_place(path, options.words.noun));
  FLYBALL_ASSIGN(auto made,
                 connect(path, path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options));
  sqlite3_busy_timeout(made->connection_.get(), options.busy_timeout_ms);
  FLYBALL_CHECK(made->run_script("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"));
  if (options.max_pages > 0)
    FLYBALL_CHECK(
        made->run_script(fmt::format("PRAGMA max_page_count={}", options.max_pages).c_str()));
  return made;
}

// In WAL mode SQLite wants to write beside the file even to read it, unless it is told that nobody
// changes it.
Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open_read_only(
    const std::filesystem::path& path, const FileWords& words) {
  if (has_log(path))
    return Error{Code::permission,
                 fmt::format("the {} {} has changes in {}-wal that only a writer can take in",
                             words.noun, path.string(), path.filename().string()),
                 fmt::format("copy both files to a folder of your own{}", words.and_named)};
  return connect(path, uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                 {.words = words});
}

// A connection that has the file for itself keeps the index of the log in its own memory, not in a
// file beside it.
Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open_on_full_disk(
    const std::filesystem::path& path) {
  FLYBALL_ASSIGN(auto made, connect(path, path.string(), SQLITE_OPEN_READWRITE, {}));
  sqlite3_db_config(made->connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  FLYBALL_CHECK(made->run_script("PRAGMA locking_mode=EXCLUSIVE; PRAGMA query_only=ON;"));
  return made;
}

// The switch to WAL needs the file alone and, unlike other statements, does not wait for it.
Status SqliteConnection::use_wal() {
  const Stopwatch waited;
  while (true) {
    const Status status = run_script("PRAGMA journal_mode=WAL");
    if (status || status.error().code != Code::conflict ||
        waited.milliseconds() > options_.busy_timeout_ms)
      return status;
    sleep_until_ns(monotonic_ns() + 5'000'000);
  }
}

Status SqliteConnection::check(bool thorough) {
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

Result<sqlite3_stmt*> SqliteConnection::prepare(std::string_view sql) {
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

Status SqliteConnection::run(std::string_view sql, std::span<const Value> values,
                             const Database::OnRow& on_row) {
  FLYBALL_ASSIGN(sqlite3_stmt* const statement, prepare(sql));
  int index = 0;
  for (const Value& value : values) bind(statement, ++index, value);
  Status status;
  int code = SQLITE_ROW;
  while (status && (code = sqlite3_step(statement)) == SQLITE_ROW)
    if (on_row) status = on_row(SqliteRow(statement));
  if (status && code != SQLITE_DONE) status = failure(code);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status;
}

Status SqliteConnection::run_script(const char* sql) {
  if (damage_) return *damage_;
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

Result<std::vector<int64_t>> SqliteConnection::reserve_ids(const std::string& table, size_t count) {
  const std::array<Value, 2> raise = {static_cast<int64_t>(count), table};
  FLYBALL_CHECK(run("UPDATE sqlite_sequence SET seq = seq + ?1 WHERE name = ?2", raise, {}));
  if (changes() == 0)
    FLYBALL_CHECK(run("INSERT INTO sqlite_sequence(seq, name) VALUES(?1, ?2)", raise, {}));
  int64_t last = 0;
  FLYBALL_CHECK(run("SELECT seq FROM sqlite_sequence WHERE name = ?", std::span(raise).subspan(1),
                    [&](const Row& row) {
                      last = row.integer(0);
                      return Status();
                    }));
  std::vector<int64_t> ids(count);
  for (size_t i = count; i-- > 0;) ids[i] = last--;
  return ids;
}

Status SqliteConnection::append(const std::string& table, const std::vector<std::string>& columns,
                                const Database::AddRows& add) {
  const std::vector<std::string> marks(columns.size(), "?");
  const std::string sql =
      fmt::format("INSERT INTO {}({}) VALUES({})", table, join(columns, ", "), join(marks, ", "));
  return add([&](std::span<const Value> row) { return run(sql, row, {}); });
}

int64_t SqliteConnection::last_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}
int64_t SqliteConnection::changes() const {
  return sqlite3_changes64(connection_.get());
}

}  // namespace flyball
