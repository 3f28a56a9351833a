#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace flyball {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, const std::string& content) {
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

Error file_error(const std::string& what, const std::filesystem::path& path, int errno_value) {
  Error error{Code::io,
              fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno_value)), ""};
  if (errno_value == ENOENT) {
    error.code = Code::not_found;
    error.hint = "check the path";
  } else if (errno_value == EACCES || errno_value == EPERM || errno_value == EROFS) {
    error.code = Code::permission;
    error.hint = "check the permissions, or choose another place";
  } else if (errno_value == ENOSPC || errno_value == EDQUOT) {
    error.hint = "free some disk space, or choose another place";
  }
  return error;
}

Result<std::string> read_file(const std::filesystem::path& path, size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_error("read", path, errno);
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("read", path, errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<size_t>(n));
    if (content.size() > limit)
      return Error{Code::corrupt, fmt::format("{} is larger than {} bytes", path.string(), limit),
                   "is this the right file?"};
  }
}

Status write_file(const std::filesystem::path& path, const std::string& content) {
  std::error_code ignored;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  const std::filesystem::path part = path.string() + fmt::format(".part{}", ::getpid());
  {
    const Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return file_error("write", path, errno);
    if (!write_all(file.get(), content) || ::fsync(file.get()) != 0) {
      const int reason = errno;
      ::unlink(part.c_str());
      return file_error("write", path, reason);
    }
  }
  if (::rename(part.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(part.c_str());
    return file_error("write", path, reason);
  }
  return {};
}

}  // namespace flyball
