#include "profile/trials/named_variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/files.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr std::array session_variables = {
    "DISPLAY", "EDITOR", "HOME",   "HOSTNAME", "IFS",  "LANG",   "LOGNAME", "MAIL",
    "OLDPWD",  "PAGER",  "PATH",   "PS1",      "PS2",  "PS4",    "PWD",     "SHELL",
    "SHLVL",   "TERM",   "TMPDIR", "TZ",       "USER", "VISUAL", "_"};
constexpr std::array session_beginnings = {"DBUS_", "FLYBALL_", "LC_", "LS_",
                                           "SSH_",  "SUDO_",    "XDG_"};
constexpr std::array secret_words = {"AUTH",   "CREDENTIALS", "KEY",    "PASS", "PASSPHRASE",
                                     "PASSWD", "PASSWORD",    "SECRET", "TOKEN"};

bool is_of_session(std::string_view name) {
  return std::ranges::find(session_variables, name) != session_variables.end() ||
         std::ranges::any_of(session_beginnings,
                             [&](std::string_view start) { return name.starts_with(start); });
}

// MAX_TOKENS is none.
bool is_secret(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return std::ranges::any_of(secret_words, [&](const std::string& word) {
    return ('_' + name + '_').find('_' + word + '_') != std::string::npos;
  });
}

std::string own_text(const fs::path& file) {
  constexpr size_t longest = 4 << 20, beginning = 4096;
  const auto text = read_file(file, longest);
  if (!text) return "";
  std::error_code ignored;
  const fs::path from_here = fs::relative(file, fs::current_path(ignored), ignored);
  const bool is_text = text->substr(0, beginning).find('\0') == std::string::npos;
  const bool is_here = !from_here.empty() && *from_here.begin() != "..";
  return is_text || is_here ? *text : "";
}

}  // namespace

std::set<std::string> names_in(const std::string& text) {
  const auto of_a_name = [](unsigned char byte) {
    return std::isalnum(byte) || byte == '_' || byte >= 0x80;
  };
  std::set<std::string> names;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = std::find_if_not(at, text.end(), of_a_name);
    if (end != at) names.emplace(at, end);
    at = std::find_if(end, text.end(), of_a_name);
  }
  return names;
}

Conditions variables_named_in(const std::set<fs::path>& files) {
  std::set<std::string> names;
  for (const fs::path& file : files) names.merge(names_in(own_text(file)));
  Conditions found;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals != std::string::npos && names.contains(name) && !is_of_session(name) &&
        !is_secret(name))
      found[name] = text.substr(equals + 1);
  }
  return found;
}

}  // namespace flyball
