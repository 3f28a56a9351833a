// A .tar.gz of files and links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/doctor/recorded_tree.h"

namespace flyball {

/// The entries as an archive, each below `folder`; `seconds` since 1970 is the time of all of them.
/// No owner is named. Error: the library refuses one.
Result<std::string> tar_gz(const std::vector<TreeEntry>& entries, const std::string& folder,
                           int64_t seconds);

}  // namespace flyball
