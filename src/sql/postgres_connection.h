// A database of PostgreSQL as a connection. Inside the room.
#pragma once

#include <memory>
#include <string>

#include "sql/connection.h"

namespace flyball {

/// As Database::connect(). Error also unavailable: this program was built without PostgreSQL.
Result<std::unique_ptr<SqlConnection>> connect_postgres(const std::string& place, bool read_only);

}  // namespace flyball
