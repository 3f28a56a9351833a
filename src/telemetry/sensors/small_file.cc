#include "telemetry/sensors/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

std::atomic<int> kept_open{0};

Result<double> number_in(std::string_view text, const char* path) {
  const auto value = parse_double(text);
  if (value && std::isfinite(*value)) return *value;
  std::string shown(trim(text.substr(0, 40)));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return Error{Code::corrupt, fmt::format("{} holds '{}', which is no number", path, shown),
               "does this driver write another format?"};
}

constexpr size_t number_bytes = 128;

}  // namespace

Result<std::string_view> read_small(const char* path, std::span<char> buffer) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error("read", path, errno);
  size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t n = ::read(fd, buffer.data() + size, buffer.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int reason = errno;
      ::close(fd);
      return file_error("read", path, reason);
    }
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  ::close(fd);
  return std::string_view(buffer.data(), size);
}

Result<double> read_number(const char* path) {
  char buffer[number_bytes];
  const auto text = read_small(path, buffer);
  if (!text) return text.error();
  return number_in(*text, path);
}

void KeptFile::close() {
  if (file_.get() < 0) return;
  kept_open.fetch_sub(1, std::memory_order_relaxed);
  file_ = Descriptor(-1);
}

bool KeptFile::open() {
  close();
  if (kept_open.fetch_add(1, std::memory_order_relaxed) < most_open)
    file_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file_.get() < 0) {
    kept_open.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  struct statfs system {};
  is_kernels_ = ::fstatfs(file_.get(), &system) == 0 &&
                (system.f_type == SYSFS_MAGIC || system.f_type == PROC_SUPER_MAGIC ||
                 system.f_type == DEBUGFS_MAGIC);
  return true;
}

bool KeptFile::is_there() const {
  if (file_.get() < 0) return false;
  struct stat file {};
  return is_kernels_ || (::fstat(file_.get(), &file) == 0 && file.st_nlink > 0);
}

// Always from the beginning: the kernel makes the text anew then.
ssize_t KeptFile::read_open(std::span<char> buffer, bool whole) {
  size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t n =
        ::pread(file_.get(), buffer.data() + size, buffer.size() - size, static_cast<off_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    size += static_cast<size_t>(n);
    if (n == 0 || !whole) break;
  }
  return static_cast<ssize_t>(size);
}

Result<std::string_view> KeptFile::read(std::span<char> buffer, bool whole) {
  for (const bool anew : {false, true}) {
    if (anew ? !open() : !is_there()) continue;
    const ssize_t size = read_open(buffer, whole);
    if (size >= 0) return std::string_view(buffer.data(), static_cast<size_t>(size));
  }
  close();
  return read_small(path_.c_str(), buffer);  // too many are open, or its error
}

Result<std::string_view> KeptFile::read(std::span<char> buffer) {
  return read(buffer, true);
}

// A number comes in one piece.
Result<double> KeptFile::read_number() {
  char buffer[number_bytes];
  const auto text = read(buffer, false);
  if (!text) return text.error();
  return number_in(*text, path_.c_str());
}

}  // namespace flyball
