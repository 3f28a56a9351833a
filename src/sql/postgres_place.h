// What can be known of the name of a PostgreSQL database without asking its server.
#pragma once

#include <string>

#include "base/status.h"

namespace flyball {

/// The errors of Database::connect() that need no server: a password in the place, which everybody
/// who lists processes would see, or it does not parse (invalid_argument); no libpq (unavailable).
Status check_postgres_place(const std::string& place);

}  // namespace flyball
