// Tells whether a file is still the one that was measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace flyball {

struct FileStamp {
  int64_t bytes = 0;
  int64_t changed_ns = 0;  ///< of the content, since 1970 in UTC
};
/// Nothing when there is no such file or folder.
std::optional<FileStamp> file_stamp(const std::filesystem::path& path);

/// "120 bytes of 2026-03-01T12:30:05.250Z": equal while the file is not changed; "" when there is
/// none.
std::string file_version(const std::filesystem::path& path);
/// "3 with 360 bytes of 2026-03-01T12:30:05.250Z (1f0c2a3b)": the time is that of the latest
/// change, the checksum one over every file's name, size and time. Files that are not there count,
/// too.
std::string files_version(std::span<const std::filesystem::path> files);

}  // namespace flyball
