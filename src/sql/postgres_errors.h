// What PostgreSQL and its library complain of, as our errors. Inside the room.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace flyball {

/// Of a statement: `state` is its five characters of SQLSTATE; 08006 where the connection is lost.
Error postgres_error(const std::string& place, std::string_view state, std::string_view reason);
/// Of the library, when it cannot connect.
Error connection_refused(const std::string& place, std::string_view reason);
Error password_in_place();
Error not_encrypted(const std::string& place);

}  // namespace flyball
