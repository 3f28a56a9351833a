// A thin edge around SQLite and PostgreSQL: statements with values, errors as values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"

namespace flyball {

/// Has the last writer left changes in a log (WAL) beside the file?
bool has_log(const std::filesystem::path& database);

/// What may stand for a `?` of a statement.
struct Value {
  struct Blob {
    std::string_view bytes;
  };
  Value() : held(std::monostate{}) {}  ///< NULL
  Value(bool value) : held(value) {}
  Value(int value) : held(int64_t{value}) {}
  Value(int64_t value) : held(value) {}
  Value(uint64_t value) : held(static_cast<int64_t>(value)) {}  ///< the same 64 bits
  Value(double value) : held(value) {}                          ///< a NaN is kept as NULL
  Value(const char* value) : held(std::string_view(value)) {}
  Value(std::string_view value) : held(value) {}
  Value(const std::string& value) : held(std::string_view(value)) {}
  Value(Blob value) : held(value) {}
  std::variant<std::monostate, bool, int64_t, double, std::string_view, Blob> held;
};

/// The current row of a query; columns count from 0.
class Row {
 public:
  virtual bool is_null(int column) const = 0;
  virtual int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;            ///< NaN for NULL
  virtual std::string_view blob(int column) const = 0;  ///< valid until the next row
  std::string text(int column) const { return std::string(blob(column)); }
  virtual Value value(int column) const = 0;  ///< as it is kept; likewise valid until the next row

 protected:
  ~Row() = default;
};

enum class DatabaseKind { sqlite, postgres };
class SqlConnection;

/// How errors speak of a file, and what their hints end with.
struct FileWords {
  const char* noun = "store";
  const char* made_by =  ///< the whole hint where it is a file of another kind
      "name another file with --store; `flyball tune` and `flyball import` make a store";
  /// behind "wait until it has finished" and "check the permissions of the file and its folder"
  const char* or_another = ", or choose another store with --store";
  const char* and_named = ", and name it with --store";  ///< behind "copy both files to a folder"
  /// behind "free some disk space"
  const char* kept = " and run the same command again; nothing stored is lost";
};

struct DatabaseOptions {
  int busy_timeout_ms = 5000;  ///< how long a writer waits for another one
  int64_t max_pages = 0;       ///< limit of the file in pages of 4 KiB; 0: none
  FileWords words{};
};

/// Does a place name a database of PostgreSQL: "postgresql://…", "postgres://…" or "service=…"?
bool names_postgres(const std::string& place);
/// "host=db dbname=fleet", which other programs take and names_postgres() does not: no file either.
bool looks_like_conninfo(const std::string& place);

/// One connection; every commit is on the disk when it returns. Not thread-safe. A statement is one
/// that SQLite and PostgreSQL both know, where it is run on both.
/// Errors: conflict (another process writes; names it), io (disk full), permission, corrupt: the
/// file is left as it is then, and every later call returns the same error. Of PostgreSQL also
/// unavailable: the server cannot be reached (any more).
class Database {
 public:
  using OnRow = std::function<Status(const Row&)>;
  using AddRow = std::function<Status(std::span<const Value>)>;
  using AddRows = std::function<Status(const AddRow&)>;

  /// Opens or creates the file, with a checksum in each page of a new one. What is not a database
  /// is never written to.
  static Result<Database> open(const std::filesystem::path& path, const DatabaseOptions& options);

  /// Opens a file that this user may only read, as it stands. Error also: `permission` when its
  /// last writer has left changes in a log beside it, which only a writer can take in.
  static Result<Database> open_read_only(const std::filesystem::path& path,
                                         const FileWords& words = {});

  /// Opens a file on a full disk to read it, with the changes in the log beside it, and writes
  /// nothing. Error also: `conflict` when another process has it open.
  static Result<Database> open_on_full_disk(const std::filesystem::path& path);

  /// Connects to a server of PostgreSQL; tables are those of its schema `flyball`. `read_only`:
  /// what would write fails with `permission`. Errors: invalid_argument (a password in it, or it
  /// does not parse), unavailable (no libpq, no server, not encrypted), permission (refused).
  static Result<Database> connect(const std::string& place, bool read_only);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();
  DatabaseKind kind() const;

  /// Readers and the writer no longer wait for each other; stays with the file.
  Status use_wal();

  /// Compares the whole file with itself. Error corrupt: the first thing that does not hold
  /// together. `thorough`: also whether each index agrees with its table. Of PostgreSQL nothing:
  /// its server does that (pg_amcheck).
  Status check(bool thorough);

  /// Runs one statement; `on_row` sees each row of its answer and may stop it with an error. It
  /// runs no other statement on the same connection.
  Status run(std::string_view sql, std::initializer_list<Value> values = {},
             const OnRow& on_row = {});
  /// Runs several statements, separated by semicolons, without values.
  Status run_script(const char* sql);
  /// The single integer that a statement answers with; 0 when it answers with no row.
  Result<int64_t> integer(std::string_view sql, std::initializer_list<Value> values = {});

  /// Row ids of a table with ids of its own that nobody else is given. Within a transaction.
  Result<std::vector<int64_t>> reserve_ids(const std::string& table, size_t count);
  /// Rows into a table, as fast as there is a way: `add` is given what takes one row after the
  /// other. Nothing else is run on this connection meanwhile.
  Status append(const std::string& table, const std::vector<std::string>& columns,
                const AddRows& add);

  int64_t last_id() const;  ///< row id of the last insert; SQLite alone
  int64_t changes() const;  ///< rows that the last statement changed
  /// The file, or the name of PostgreSQL's database as it was given.
  const std::filesystem::path& path() const { return path_; }

 private:
  friend class Transaction;
  Database(std::filesystem::path path, std::unique_ptr<SqlConnection> connection);

  std::filesystem::path path_;
  std::unique_ptr<SqlConnection> connection_;
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
