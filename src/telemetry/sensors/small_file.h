// Small files of /proc and /sys, read without allocating.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/status.h"

namespace flyball {

/// The first `buffer.size()` bytes of a file, in `buffer`. Opened anew each time.
Result<std::string_view> read_small(const char* path, std::span<char> buffer);

/// The file as one finite number. Error `corrupt` shows what stood there instead.
Result<double> read_number(const char* path);

/// A small file that is read again and again. It stays open, so that a read is one call and no walk
/// down its path. A file that vanished or was replaced (a driver that was unbound) is noticed: the
/// kernel's own files fail then, and others have lost their last link. One thread at a time.
class KeptFile {
 public:
  /// Beyond so many in a process files are opened anew each time: descriptors are few.
  static constexpr int most_open = 256;

  explicit KeptFile(std::string path) : path_(std::move(path)) {}
  ~KeptFile() { close(); }
  KeptFile(KeptFile&& other) noexcept
      : path_(std::move(other.path_)),
        file_(std::move(other.file_)),
        is_kernels_(other.is_kernels_) {}
  KeptFile& operator=(KeptFile&&) = delete;

  const std::string& path() const { return path_; }
  /// As read_small().
  Result<std::string_view> read(std::span<char> buffer);
  /// As flyball::read_number().
  Result<double> read_number();

 private:
  bool is_there() const;
  bool open();
  void close();
  /// Bytes; negative: errno.
  ssize_t read_open(std::span<char> buffer, bool whole);
  Result<std::string_view> read(std::span<char> buffer, bool whole);

  std::string path_;
  Descriptor file_{-1};
  bool is_kernels_ = false;  ///< of /proc, /sys or /sys/kernel/debug
};

}  // namespace flyball
