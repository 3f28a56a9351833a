// A file of SQLite as a connection. Inside the room.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sql/connection.h"

namespace flyball {

class SqliteConnection final : public SqlConnection {
 public:
  static Result<std::unique_ptr<SqliteConnection>> open(const std::filesystem::path& path,
                                                        const DatabaseOptions& options);
  static Result<std::unique_ptr<SqliteConnection>> open_read_only(const std::filesystem::path& path,
                                                                  const FileWords& words);
  static Result<std::unique_ptr<SqliteConnection>> open_on_full_disk(
      const std::filesystem::path& path);

  DatabaseKind kind() const override { return DatabaseKind::sqlite; }
  Status run(std::string_view sql, std::span<const Value> values,
             const Database::OnRow& on_row) override;
  Status run_script(const char* sql) override;
  Status begin_writing() override { return run("BEGIN IMMEDIATE", {}, {}); }
  Status use_wal() override;
  Status check(bool thorough) override;
  Result<std::vector<int64_t>> reserve_ids(const std::string& table, size_t count) override;
  Status append(const std::string& table, const std::vector<std::string>& columns,
                const Database::AddRows& add) override;
  int64_t last_id() const override;
  int64_t changes() const override;

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

  static Result<std::unique_ptr<SqliteConnection>> connect(const std::filesystem::path& path,
                                                           const std::string& name, int flags,
                                                           const DatabaseOptions& options);
  Result<sqlite3_stmt*> prepare(std::string_view sql);
  Error failure(int code);
  Error other_file();
  Error damage(const std::string& what);

  std::filesystem::path path_;
  DatabaseOptions options_;
  std::optional<Error> damage_;  // once it has been found
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string, Prepared, std::less<>> prepared_;  // finalized before the connection
};

}  // namespace flyball
