// A file that is read piece by piece, gzipped or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/files.h"

namespace flyball {

/// A regular file of any size, read in place; a gzipped one is inflated into memory when opened.
class ByteSource {
 public:
  /// Errors: the file cannot be read, is not a regular one, or its gzip stream is broken.
  static Result<std::shared_ptr<const ByteSource>> open(const std::filesystem::path& path);
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Bytes of content (after inflation) when it was opened.
  uint64_t size() const { return inflated_ ? content_.size() : file_.size; }
  /// Fills `out` from byte `offset`; an error when the content ends before.
  Status read(uint64_t offset, std::span<uint8_t> out) const;

 private:
  ByteSource(std::filesystem::path path, OpenedFile file)
      : path_(std::move(path)), file_(std::move(file)) {}
  Status inflate();

  std::filesystem::path path_;
  OpenedFile file_;
  bool inflated_ = false;
  std::vector<uint8_t> content_;
};

/// The whole of a file of at most 256 MiB; `out` keeps its memory from file to file. Errors: it
/// cannot be read, is empty, or is larger.
Status read_whole(const std::filesystem::path& path, std::vector<uint8_t>& out);

/// Fills `out` from a descriptor at `offset`, or says at which byte the file ended.
Status read_exactly(int fd, const std::filesystem::path& path, uint64_t offset,
                    std::span<uint8_t> out);

}  // namespace flyball
