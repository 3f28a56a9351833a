// The name of this host, and addresses of others by theirs. A static program cannot ask the C
// library, which loads what a machine's nsswitch.conf names, so all ask getent(1), the system's own
// program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// Of this one, as gethostname(2) tells it.
std::string host_name();

/// Where names of hosts are looked for.
struct HostSources {
  std::filesystem::path hosts = "/etc/hosts";  ///< where there is no getent
  std::filesystem::path getent = "/usr/bin/getent";
  double limit_s = 10;  ///< for getent, which may ask a server
};

/// As text, each once, in the order in which they are to be tried; an address is its own. Errors:
/// `not_found`; `unavailable`: getent takes too long.
Result<std::vector<std::string>> host_addresses(const std::string& host,
                                                const HostSources& sources = {});

}  // namespace flyball
