#include "base/os/accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/files.h"
#include "base/os/tool_process.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* not_in_files =
    "is it one of LDAP or another directory? Then install getent, which asks it";

using Fields = std::vector<std::string>;

// The first line of an account file whose field `at` is `value` and whose third is a number.
std::optional<Fields> find_account(const std::string& text, size_t at, const std::string& value) {
  for (const std::string& line : split(text, '\n')) {
    Fields fields = split(line, ':');
    if (fields.size() < 3 || fields[at] != value) continue;
    if (const auto number = parse_integer(fields[2]); number && *number >= 0) return fields;
  }
  return {};
}

bool is_account_name(const std::string& text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

// "" where it knows none. Errors: it takes too long, as where the directory's server is not there.
Result<std::string> ask_getent(const AccountSources& sources, const char* database,
                               const std::string& key) {
  std::error_code ignored;
  if (!is_account_name(key) || !fs::exists(sources.getent, ignored)) return std::string();
  auto answer = run_tool(sources.getent, {database, key}, sources.limit_s);
  if (answer || answer.error().code != Code::io) return answer ? answer : std::string();
  return Error{Code::unavailable, answer.error().message,
               "it asks LDAP or another directory, whose server may be out of reach"};
}

Result<std::optional<Fields>> look_up(const AccountSources& sources, const char* database,
                                      size_t at, const std::string& value) {
  if (const auto text = read_file(sources.root / "etc" / database, 1 << 24))
    if (auto found = find_account(*text, at, value)) return found;
  if (sources.root != "/") return std::optional<Fields>();
  FLYBALL_ASSIGN(const std::string text, ask_getent(sources, database, value));
  return find_account(text, at, value);
}

}  // namespace

Result<gid_t> group_number(const std::string& name, const AccountSources& sources) {
  FLYBALL_ASSIGN(const auto fields, look_up(sources, "group", 0, name));
  if (fields) return static_cast<gid_t>(*parse_integer((*fields)[2]));
  return Error{Code::not_found, fmt::format("there is no group '{}' in /etc/group", name),
               fmt::format("sudo groupadd --system {} makes it; {}", name, not_in_files)};
}

Result<std::string> name_of_user(uid_t user, const AccountSources& sources) {
  FLYBALL_ASSIGN(const auto fields, look_up(sources, "passwd", 2, fmt::format("{}", user)));
  if (fields && !fields->front().empty()) return fields->front();
  return Error{Code::not_found, fmt::format("user {} has no name in /etc/passwd", user),
               not_in_files};
}

Result<fs::path> home_of_user(uid_t user, const AccountSources& sources) {
  FLYBALL_ASSIGN(const auto fields, look_up(sources, "passwd", 2, fmt::format("{}", user)));
  if (fields && fields->size() > 5 && (*fields)[5].starts_with('/')) return fs::path((*fields)[5]);
  return Error{Code::not_found, fmt::format("user {} has no home folder in /etc/passwd", user),
               fmt::format("let HOME name one; {}", not_in_files)};
}

}  // namespace flyball
