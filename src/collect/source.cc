#include "collect/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

#include "sql/database.h"
#include "telemetry/process/bounded_run.h"
#include "telemetry/process/ssh.h"

namespace flyball {
namespace {

// A large store over a slow link takes hours, and ssh itself notices a link that is dead.
constexpr double longest_copy_s = 7 * 24 * 3600;

bool of_a_host(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || std::strchr(".-_@[]%:", c) != nullptr;
}

}  // namespace

Result<std::optional<RemoteStore>> parse_remote(const std::string& source) {
  std::error_code ignored;
  const size_t bracket = source.starts_with('[') || source.find("@[") != std::string::npos
                             ? source.find(']')
                             : std::string::npos;
  const size_t colon = source.find(':', bracket == std::string::npos ? 0 : bracket);
  if (colon == std::string::npos || names_postgres(source) || source.find('/') < colon ||
      std::filesystem::exists(source, ignored))
    return std::optional<RemoteStore>();
  RemoteStore remote{source.substr(0, colon), source.substr(colon + 1)};
  if (remote.host.empty() || remote.host.starts_with('-') ||
      !std::ranges::all_of(remote.host, of_a_host))
    return Error{Code::invalid_argument, fmt::format("'{}' is no name of a host", remote.host),
                 "name a store as [USER@]HOST:PATH; a file whose name has a colon as ./FILE"};
  return std::optional(std::move(remote));
}

Result<FetchedStore> fetch_store(const std::string& source) {
  FLYBALL_ASSIGN(const auto remote, parse_remote(source));
  if (!remote) return FetchedStore{source, {}};
  FLYBALL_ASSIGN(TempFolder folder, TempFolder::make());
  const std::filesystem::path file = folder / "store.db";
  FLYBALL_ASSIGN(std::vector<std::string> words, ssh_words());
  words.insert(words.end(), {"--", remote->host, store_export_command("flyball", remote->path)});
  FLYBALL_ASSIGN(const int code, run_into_file(words, file, {.seconds = longest_copy_s}));
  if (code != 0)
    return Error{Code::unavailable,
                 fmt::format("{}: ssh or the flyball there ended with {}", source, code),
                 fmt::format("try `ssh {} flyball --version`: it needs a key (no password is asked "
                             "for) and flyball in the PATH of that shell",
                             remote->host)};
  return FetchedStore{file, std::move(folder)};
}

}  // namespace flyball
