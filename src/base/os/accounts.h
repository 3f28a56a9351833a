// Users and groups by name. A static program cannot ask the C library, which loads what a machine's
// nsswitch.conf names, so they are read from /etc here; names that are not in these files (LDAP,
// SSSD, systemd-homed) are asked of getent(1), which is the system's own program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/status.h"

namespace flyball {

/// The number of a group. Errors `not_found`, also where /etc/group cannot be read and there is no
/// getent; below another `root` than "/" the file alone is asked.
Result<gid_t> group_number(const std::string& name, const std::filesystem::path& root = "/");

/// The home folder of a user. Errors as group_number().
Result<std::filesystem::path> home_of_user(uid_t user, const std::filesystem::path& root = "/");

}  // namespace flyball
