// Whole files in and out, with errors that name them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "base/descriptor.h"
#include "base/status.h"

namespace flyball {

/// An Error from `errno_value` about `path`: permission, not_found or io, e.g. "cannot read x: …".
Error file_error(const std::string& what, const std::filesystem::path& path, int errno_value);

struct OpenedFile {
  Descriptor descriptor;
  uint64_t size;  ///< bytes; 0 for files that the kernel makes up, such as those of /proc
};
/// Opens a regular file to read it. Pipes, devices and sockets could keep the reader waiting, or
/// never end: they are refused unread, and so is what is larger than `limit` bytes.
Result<OpenedFile> open_regular(const std::filesystem::path& path,
                                uint64_t limit = std::numeric_limits<uint64_t>::max());

/// An empty file for what a program prints, made or emptied; a link is refused.
Result<Descriptor> open_output(const std::filesystem::path& path);

/// The whole of a regular file of `limit` bytes at most, so that a foreign file cannot fill memory.
Result<std::string> read_file(const std::filesystem::path& path, size_t limit = size_t{256} << 20);

/// Replaces the file in one step (temporary file, fsync, rename); creates missing parent folders.
/// Owner and permissions stay those of the file that is replaced. A symbolic link stays and its
/// target is replaced, unless somebody else planted the link in a folder like /tmp; a device or a
/// pipe is written to as it is.
Status write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace flyball
