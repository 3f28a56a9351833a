// What a Database speaks to: SQLite or PostgreSQL. Inside the room.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sql/database.h"

namespace flyball {

/// Each call as the one of its name in Database.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;
  virtual DatabaseKind kind() const = 0;
  virtual Status run(std::string_view sql, std::span<const Value> values,
                     const Database::OnRow& on_row) = 0;
  virtual Status run_script(const char* sql) = 0;
  virtual Status begin_writing() = 0;
  virtual Status use_wal() = 0;
  virtual Status check(bool thorough) = 0;
  virtual Result<std::vector<int64_t>> reserve_ids(const std::string& table, size_t count) = 0;
  virtual Status append(const std::string& table, const std::vector<std::string>& columns,
                        const Database::AddRows& add) = 0;
  virtual int64_t last_id() const = 0;
  virtual int64_t changes() const = 0;
};

}  // namespace flyball
