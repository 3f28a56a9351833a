// A thin edge around SQLite: statements with values, errors as values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace flyball {

/// Has the last writer left changes in a log (WAL) beside the file?
bool has_log(const std::filesystem::path& database);

/// What may stand for a `?` of a statement.
struct Value {
  struct Blob {
    std::string_view bytes;
  };
  Value() : held(std::monostate{}) {}  ///< NULL
  Value(bool value) : held(int64_t{value}) {}
  Value(int value) : held(int64_t{value}) {}
  Value(int64_t value) : held(value) {}
  Value(uint64_t value) : held(static_cast<int64_t>(value)) {}  ///< the same 64 bits
  Value(double value) : held(value) {}                          ///< a NaN is kept as NULL
  Value(const char* value) : held(std::string_view(value)) {}
  Value(std::string_view value) : held(value) {}
  Value(const std::string& value) : held(std::string_view(value)) {}
  Value(Blob value) : held(value) {}
  std::variant<std::monostate, int64_t, double, std::string_view, Blob> held;
};

/// The current row of a query; columns count from 0.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  bool is_null(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;  ///< NaN for NULL
  std::string text(int column) const;
  std::string_view blob(int column) const;  ///< valid until the next row

 private:
  sqlite3_stmt* statement_;
};

struct DatabaseOptions {
  int busy_timeout_ms = 5000;  ///< how long a writer waits for another one
  int64_t max_pages = 0;       ///< limit of the file in pages of 4 KiB; 0: none
};

/// One connection, every commit synchronised to disk, a checksum in each page of a new file. Not
/// thread-safe.
/// Errors: conflict (another process writes; names it), io (disk full), permission, corrupt: the
/// file is left as it is then, and every later call returns the same error.
class Database {
 public:
  using OnRow = std::function<Status(const Row&)>;

  /// Opens or creates the file. What is not a database is never written to.
  static Result<Database> open(const std::filesystem::path& path, const DatabaseOptions& options);

  /// Opens a file that this user may only read, as it stands. Error also: `permission` when its
  /// last writer has left changes in a log beside it, which only a writer can take in.
  static Result<Database> open_read_only(const std::filesystem::path& path);

  /// Opens a file on a full disk to read it, with the changes in the log beside it, and writes
  /// nothing. Error also: `conflict` when another process has it open.
  static Result<Database> open_on_full_disk(const std::filesystem::path& path);

  /// Readers and the writer no longer wait for each other; stays with the file.
  Status use_wal();

  /// Compares the whole file with itself. Error corrupt: the first thing that does not hold
  /// together. `thorough`: also whether each index agrees with its table.
  Status check(bool thorough);

  /// Runs one statement; `on_row` sees each row of its answer and may stop it with an error.
  Status run(std::string_view sql, std::initializer_list<Value> values = {},
             const OnRow& on_row = {});
  /// Runs several statements, separated by semicolons, without values.
  Status run_script(const char* sql);
  /// The single integer that a statement answers with; 0 when it answers with no row.
  Result<int64_t> integer(std::string_view sql, std::initializer_list<Value> values = {});

  int64_t last_id() const;  ///< row id of the last insert
  int64_t changes() const;  ///< rows that the last statement changed
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

  static Result<Database> connect(const std::filesystem::path& path, const std::string& name,
                                  int flags);
  Result<sqlite3_stmt*> prepare(std::string_view sql);
  Error failure(int code);
  Error damage(const std::string& what);

  std::filesystem::path path_;
  DatabaseOptions options_;
  std::optional<Error> damage_;  // once it has been found
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string, Prepared, std::less<>> prepared_;  // finalized before the connection
};

/// All or nothing: what was run since begin() is undone unless commit() succeeded.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  /// Returns once the changes are on the disk.
  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace flyball
