// Whole files in and out, with errors that name them.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace flyball {

/// An Error from `errno_value` about `path`: permission, not_found or io, e.g. "cannot read x: …".
Error file_error(const std::string& what, const std::filesystem::path& path, int errno_value);

/// The whole file. `limit` bytes at most, so that a foreign file cannot fill memory.
Result<std::string> read_file(const std::filesystem::path& path, size_t limit = size_t{1} << 30);

/// Replaces the file in one step (temporary file, fsync, rename); creates missing parent folders.
/// A symbolic link stays and its target is replaced; a device or a pipe is written to as it is.
Status write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace flyball
