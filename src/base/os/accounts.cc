#include "base/os/accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* getent = "/usr/bin/getent";
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

std::string ask_getent(const char* database, const std::string& key) {
  std::error_code ignored;
  if (!is_account_name(key) || !fs::exists(getent, ignored)) return "";
  const std::string command = fmt::format("exec {} {} {} 2>/dev/null", getent, database, key);
  std::FILE* answer = ::popen(command.c_str(), "re");
  if (answer == nullptr) return "";
  std::array<char, 1024> part{};
  std::string text;
  while (std::fgets(part.data(), part.size(), answer) != nullptr) text += part.data();
  ::pclose(answer);
  return text;
}

std::optional<Fields> look_up(const fs::path& root, const char* database, size_t at,
                              const std::string& value) {
  if (const auto text = read_file(root / "etc" / database, 1 << 24))
    if (auto found = find_account(*text, at, value)) return found;
  if (root != "/") return {};
  return find_account(ask_getent(database, value), at, value);
}

}  // namespace

Result<gid_t> group_number(const std::string& name, const fs::path& root) {
  if (const auto fields = look_up(root, "group", 0, name))
    return static_cast<gid_t>(*parse_integer((*fields)[2]));
  return Error{Code::not_found, fmt::format("there is no group '{}' in /etc/group", name),
               fmt::format("sudo groupadd --system {} makes it; {}", name, not_in_files)};
}

Result<fs::path> home_of_user(uid_t user, const fs::path& root) {
  const auto fields = look_up(root, "passwd", 2, fmt::format("{}", user));
  if (fields && fields->size() > 5 && (*fields)[5].starts_with('/')) return fs::path((*fields)[5]);
  return Error{Code::not_found, fmt::format("user {} has no home folder in /etc/passwd", user),
               fmt::format("let HOME name one; {}", not_in_files)};
}

}  // namespace flyball
