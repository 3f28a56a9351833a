// Tells whether a file is still the one that was measured.
#pragma once

#include <filesystem>
#include <string>

namespace flyball {

/// "FILE: 120 bytes of 1700000000000": equal while the file is not changed; "" when there is none.
std::string file_version(const std::filesystem::path& path);

}  // namespace flyball
