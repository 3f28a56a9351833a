#include "sql/postgres_errors.h"

#include <fmt/format.h>

#include "base/text.h"

namespace flyball {
namespace {

// The first line, without blanks.
std::string first_line(std::string_view text) {
  return std::string(trim(text.substr(0, trim(text).find('\n'))));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

Error postgres_error(const std::string& place, std::string_view state, std::string_view reason) {
  const std::string why = first_line(reason);
  const auto message = [&](const char* what) { return fmt::format("{} {}: {}", what, place, why); };
  const std::string_view group = state.substr(0, 2);
  if (state == "53100")
    return {Code::io, message("no space left in the database"),
            "free some disk space there and run the same command again; nothing stored is lost"};
  if (group == "08" || group == "57" || group == "53" || state == "58030")
    return {Code::unavailable, message("the connection ended with the database"),
            "run the same command again when the server is back; nothing is taken twice"};
  if (group == "40" || state == "55P03")
    return {Code::conflict, message("another process writes to the database"),
            "run the same command again; nothing is taken twice"};
  if (state == "25006" || state == "42501" || group == "28")
    return {Code::permission, message("not allowed in the database"),
            "roles and what each may do: docs/how-to/collect-stores.md"};
  if (state == "23505")
    return {Code::conflict, message("a row is there already in the database"),
            "run the same command again; nothing is taken twice"};
  return {Code::internal, message("the database"), ""};
}

Error connection_refused(const std::string& place, std::string_view reason) {
  const std::string why = first_line(reason);
  if (contains(reason, "password") || contains(reason, "authentication") ||
      contains(reason, "role \""))
    return {
        Code::permission, fmt::format("the database {} refuses this user: {}", place, why),
        "name the user in it, and put the password into ~/.pgpass (mode 600) or a service file"};
  if (contains(reason, "does not exist") || contains(reason, "definition of service"))
    return {Code::not_found, fmt::format("there is no database {}: {}", place, why),
            "createdb makes one; a service is a section of ~/.pg_service.conf"};
  return {Code::unavailable, fmt::format("cannot reach the database {}: {}", place, why),
          "check host and port, and whether the server runs (pg_isready)"};
}

Error password_in_place() {
  return {
      Code::invalid_argument,
      "the name of the database has a password in it, which every user of this machine can see",
      "change that password; put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 600) "
      "or name a section of ~/.pg_service.conf: service=NAME"};
}

Error not_encrypted(const std::string& place) {
  return {Code::unavailable,
          fmt::format("the connection to {} is not encrypted, and it is not this machine", place),
          "switch TLS on in the server (ssl = on), or say sslmode=disable where the network is "
          "trusted"};
}

}  // namespace flyball
