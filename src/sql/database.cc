#include "sql/database.h"

#include <algorithm>

#include "base/text.h"
#include "sql/connection.h"
#include "sql/postgres_connection.h"
#include "sql/sqlite_connection.h"

namespace flyball {

bool names_postgres(const std::string& place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://") ||
         place.starts_with("service=");
}

bool looks_like_conninfo(const std::string& place) {
  const auto words = split(place, ' ');
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("host=") || word.starts_with("hostaddr=") ||
           word.starts_with("dbname=") || word.starts_with("password=") ||
           word.starts_with("user=");
  });
}

Database::Database(std::filesystem::path path, std::unique_ptr<SqlConnection> connection)
    : path_(std::move(path)), connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::filesystem::path& path, const DatabaseOptions& options) {
  FLYBALL_ASSIGN(auto connection, SqliteConnection::open(path, options));
  return Database(path, std::move(connection));
}

Result<Database> Database::open_read_only(const std::filesystem::path& path,
                                          const FileWords& words) {
  FLYBALL_ASSIGN(auto connection, SqliteConnection::open_read_only(path, words));
  return Database(path, std::move(connection));
}

Result<Database> Database::open_on_full_disk(const std::filesystem::path& path) {
  FLYBALL_ASSIGN(auto connection, SqliteConnection::open_on_full_disk(path));
  return Database(path, std::move(connection));
}

Result<Database> Database::connect(const std::string& place, bool read_only) {
  FLYBALL_ASSIGN(auto connection, connect_postgres(place, read_only));
  return Database(place, std::move(connection));
}

DatabaseKind Database::kind() const {
  return connection_->kind();
}

Status Database::use_wal() {
  return connection_->use_wal();
}

Status Database::check(bool thorough) {
  return connection_->check(thorough);
}

Status Database::run(std::string_view sql, std::initializer_list<Value> values,
                     const OnRow& on_row) {
  return connection_->run(sql, {values.begin(), values.size()}, on_row);
}

Status Database::run_script(const char* sql) {
  return connection_->run_script(sql);
}

Result<int64_t> Database::integer(std::string_view sql, std::initializer_list<Value> values) {
  int64_t answer = 0;
  FLYBALL_CHECK(run(sql, values, [&](const Row& row) {
    answer = row.integer(0);
    return Status();
  }));
  return answer;
}

Result<std::vector<int64_t>> Database::reserve_ids(const std::string& table, size_t count) {
  return connection_->reserve_ids(table, count);
}

Status Database::append(const std::string& table, const std::vector<std::string>& columns,
                        const AddRows& add) {
  return connection_->append(table, columns, add);
}

int64_t Database::last_id() const {
  return connection_->last_id();
}
int64_t Database::changes() const {
  return connection_->changes();
}

Result<Transaction> Transaction::begin(Database& database) {
  FLYBALL_CHECK(database.connection_->begin_writing());
  return Transaction(database);
}

Transaction::~Transaction() {
  // It fails when the database has rolled back by itself, after a full disk or a lost connection;
  // nothing is left to undo.
  if (database_) static_cast<void>(database_->run("ROLLBACK"));
}

Status Transaction::commit() {
  FLYBALL_CHECK(database_->run("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace flyball
