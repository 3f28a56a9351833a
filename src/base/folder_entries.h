// What lies in a folder of /sys or /proc, in order.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace flyball {

/// Entries of `folder` whose names begin with `prefix`, by name; none where it cannot be read.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder,
                                                  std::string_view prefix = "");

}  // namespace flyball
