// The tables of the store, and how an older store becomes a newer one.
#pragma once

#include <span>
#include <string>

#include "sql/database.h"

namespace flyball {

/// One step from version i to i + 1, at index i.
using Migrations = std::span<const char* const>;
/// Every step there is; their number is the newest version.
Migrations store_migrations();

/// Is this a store, or empty? A database of a newer version, or of somebody else, is refused before
/// anything is written to it.
Status check_is_store(Database& database, Migrations migrations = store_migrations());
/// Has it all the steps? For a database that may not be written to. Error `permission`.
Status check_is_newest(Database& database, Migrations migrations = store_migrations());
/// Brings the database to the newest version, each step in a transaction of its own.
Status migrate(Database& database, Migrations migrations = store_migrations());

/// Of the store that this is. Error corrupt: it has none.
Result<std::string> own_identity(Database& database);

}  // namespace flyball
