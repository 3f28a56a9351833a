// Users and groups by name. A static program cannot ask the C library, which loads what a machine's
// nsswitch.conf names, so they are read from /etc here; names that are not in these files (LDAP,
// SSSD, systemd-homed) are asked of getent(1), which is the system's own program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/status.h"

namespace flyball {

/// Where accounts are looked for.
struct AccountSources {
  std::filesystem::path root = "/";  ///< below another one the files alone are read
  std::filesystem::path getent = "/usr/bin/getent";
  double limit_s = 5;  ///< for getent, which may ask a server
};

/// The number of a group. Errors: `not_found`, also where /etc/group cannot be read and there is no
/// getent; `unavailable`: getent takes too long.
Result<gid_t> group_number(const std::string& name, const AccountSources& sources = {});

/// What a user is called. Errors as group_number().
Result<std::string> name_of_user(uid_t user, const AccountSources& sources = {});

/// The home folder of a user. Errors as group_number().
Result<std::filesystem::path> home_of_user(uid_t user, const AccountSources& sources = {});

}  // namespace flyball
