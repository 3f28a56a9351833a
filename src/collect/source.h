// Where a store that is collected lies: here, or on another machine. Inside the room.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/os/temp_folder.h"
#include "base/status.h"

namespace flyball {

/// "[USER@]HOST:PATH".
struct RemoteStore {
  std::string host, path;
};
/// Nothing: it is a file or folder here: it exists, or has a "/" before its first ":". Error
/// invalid_argument: a host that ssh would take for an option, or that has other characters than
/// names of hosts and users.
Result<std::optional<RemoteStore>> parse_remote(const std::string& source);

/// A store to read: a file here, or the copy of one of another machine, gone with this.
struct FetchedStore {
  std::filesystem::path place;
  std::optional<TempFolder> copy;
};
/// Over ssh the `flyball` of the other machine writes a consistent copy to its output
/// (`flyball runs export`). Errors: those of parse_remote() and run_into_file(), unavailable: ssh
/// fails; its own words are on stderr.
Result<FetchedStore> fetch_store(const std::string& source);

}  // namespace flyball
