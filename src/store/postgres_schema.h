// The tables of a store in PostgreSQL: those of SQLite (schema.h), in types of PostgreSQL.
#pragma once

#include "sql/database.h"

namespace flyball {

/// Makes the tables, or brings them to the newest version, in one transaction, one process at a
/// time. Errors: permission (they would have to be made or changed, and this role may not),
/// conflict (a newer Flyball made them).
Status migrate_postgres(Database& database);
/// Are they there, and the newest? Errors: not_found, permission (older), conflict (newer).
Status check_is_newest_postgres(Database& database);

}  // namespace flyball
