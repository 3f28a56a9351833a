#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

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

struct Remedy {
  int reason;
  Code code;
  const char* hint;
};

constexpr Remedy remedies[] = {
    {ENOENT, Code::not_found, "check the path"},
    {EACCES, Code::permission, "check the permissions, or choose another place"},
    {EPERM, Code::permission, "check the permissions, or choose another place"},
    {EROFS, Code::permission, "that file system is read-only: choose another place"},
    {ENOSPC, Code::io, "free some disk space, or choose another place"},
    {EDQUOT, Code::io, "free some disk space, or choose another place"},
    {EISDIR, Code::io, "that is a folder: name a file"},
    {ENOTDIR, Code::io, "a part of this path is a file, not a folder: check the path"},
    {EEXIST, Code::io, "a file is in the way of a folder: check the path"},
    {ELOOP, Code::io, "its symbolic links go round in a circle: check them"},
    {ENAMETOOLONG, Code::io, "choose a shorter name"},
    {EIO, Code::io, "check the disk; `dmesg` may say more"},
};

// A device or a pipe has nothing to synchronise, and says so.
bool write_and_sync(int fd, const std::string& content) {
  return write_all(fd, content) && (::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
}

// Where a path ends that leads through symbolic links, whether or not there is a file yet.
Result<std::filesystem::path> follow_links(const std::filesystem::path& path) {
  std::filesystem::path target = path;
  std::error_code error;
  for (int link = 0; std::filesystem::is_symlink(target, error); ++link) {
    if (link == 40) return file_error("write", path, ELOOP);
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) return file_error("write", path, error.value());
    target = target.parent_path() / next;  // an absolute one replaces the whole
  }
  return target;
}

}  // namespace

Error file_error(const std::string& what, const std::filesystem::path& path, int errno_value) {
  Error error{Code::io,
              fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno_value)), ""};
  const auto* const found = std::ranges::find(remedies, errno_value, &Remedy::reason);
  if (found == std::end(remedies)) return error;
  error.code = found->code;
  error.hint = found->hint;
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

namespace {

// Devices and pipes stay what they are.
Status write_in_place(const std::filesystem::path& path, const std::string& content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0 || !write_and_sync(file.get(), content))
    return file_error("write", path, errno);
  return {};
}

Status create_folder_of(const std::filesystem::path& path) {
  if (!path.has_parent_path()) return {};
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return file_error("create the folder", path.parent_path(), error.value());
  return {};
}

Status replace_file(const std::filesystem::path& path, const std::string& content) {
  const std::filesystem::path part = path.string() + fmt::format(".part{}", ::getpid());
  {
    const Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return file_error("write", path, errno);
    if (!write_and_sync(file.get(), content)) {
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

}  // namespace

Status write_file(const std::filesystem::path& path, const std::string& content) {
  struct stat known {};
  if (::stat(path.c_str(), &known) == 0) {
    if (S_ISDIR(known.st_mode)) return file_error("write", path, EISDIR);
    if (!S_ISREG(known.st_mode)) return write_in_place(path, content);
  } else if (errno != ENOENT) {
    return file_error("write", path, errno);
  }
  FLYBALL_ASSIGN(const std::filesystem::path target, follow_links(path));
  FLYBALL_CHECK(create_folder_of(target));
  return replace_file(target, content);
}

}  // namespace flyball
