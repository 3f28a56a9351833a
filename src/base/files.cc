#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace flyball {
namespace {

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
    {ENXIO, Code::io, "nobody reads from it: start the reader first, or name a file"},
    {ENAMETOOLONG, Code::io, "choose a shorter name"},
    {EIO, Code::io, "check the disk; `dmesg` may say more"},
};

// A device or a pipe has nothing to synchronise, and says so.
bool write_and_sync(int fd, const std::string& content) {
  return write_all(fd, content) && (::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
}

// In a folder where everybody may write, a link that somebody else made may lead anywhere. The
// kernel judges whoever opens such a link by the same rule (fs.protected_symlinks).
bool is_planted(const std::filesystem::path& link) {
  struct stat of_link {
  }, of_folder{};
  const auto folder = link.has_parent_path() ? link.parent_path() : std::filesystem::path(".");
  if (::lstat(link.c_str(), &of_link) != 0 || ::stat(folder.c_str(), &of_folder) != 0) return true;
  const bool shared = (of_folder.st_mode & S_ISVTX) != 0 && (of_folder.st_mode & S_IWOTH) != 0;
  return shared && of_link.st_uid != ::geteuid() && of_link.st_uid != of_folder.st_uid;
}

// Where a path ends that leads through symbolic links, whether or not there is a file yet.
Result<std::filesystem::path> follow_links(const std::filesystem::path& path) {
  std::filesystem::path target = path;
  std::error_code error;
  for (int link = 0; std::filesystem::is_symlink(target, error); ++link) {
    if (link == 40) return file_error("write", path, ELOOP);
    if (is_planted(target)) return file_error("follow the link", target, EACCES);
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) return file_error("write", path, error.value());
    target = target.parent_path() / next;  // an absolute one replaces the whole
  }
  return target;
}

Error too_large(const std::filesystem::path& path, uint64_t limit) {
  return {Code::corrupt, fmt::format("{} is larger than {} bytes", path.string(), limit),
          "is this the right file?"};
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

Result<OpenedFile> open_regular(const std::filesystem::path& path, uint64_t limit) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer. Regular files do not know it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat about {};
  if (file.get() < 0 && errno == ENXIO)
    return Error{Code::invalid_argument,
                 fmt::format("cannot read {}: it is a socket, not a file", path.string()),
                 "write what it gives to a file, and name that"};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) return file_error("read", path, errno);
  if (S_ISDIR(about.st_mode)) return file_error("read", path, EISDIR);
  if (!S_ISREG(about.st_mode))
    return Error{Code::invalid_argument,
                 fmt::format("cannot read {}: it is {}, not a file", path.string(),
                             S_ISFIFO(about.st_mode) ? "a pipe" : "a device"),
                 "write what it gives to a file, and name that"};
  const auto size = static_cast<uint64_t>(about.st_size);
  if (size > limit) return too_large(path, limit);
  return OpenedFile{std::move(file), size};
}

Result<Descriptor> open_output(const std::filesystem::path& path) {
  Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0644));
  if (file.get() < 0) return file_error("write", path, errno);
  return file;
}

Result<std::string> read_file(const std::filesystem::path& path, size_t limit) {
  FLYBALL_ASSIGN(const OpenedFile file, open_regular(path, limit));
  std::string content;
  content.reserve(file.size);
  char buffer[65536];
  while (true) {
    const ssize_t n = ::read(file.descriptor.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("read", path, errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<size_t>(n));
    if (content.size() > limit) return too_large(path, limit);
  }
}

namespace {

// Devices and pipes stay what they are.
Status write_in_place(const std::filesystem::path& path, const std::string& content) {
  // Without O_NONBLOCK, opening a pipe would wait for a reader; writing does wait for it.
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 || ::fcntl(file.get(), F_SETFL, O_WRONLY) != 0 ||
      !write_and_sync(file.get(), content))
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

// A file beside `path` of a name that nobody can guess, which was not there before.
Result<Descriptor> create_part(const std::filesystem::path& path, std::filesystem::path& part) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number)
      return file_error("write", path, errno);
    part = path.string() + fmt::format(".part{:016x}", number);
    Descriptor file(
        ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (file.get() >= 0) return file;
    if (errno != EEXIST) break;
  }
  return file_error("write", path, errno);
}

// Gives the new file what the old one had. Only root can give a file away; nobody else needs to.
bool keep_access(int fd, const struct stat& old) {
  if (old.st_uid != ::geteuid() && ::geteuid() == 0 && ::fchown(fd, old.st_uid, old.st_gid) != 0)
    return false;
  return ::fchmod(fd, old.st_mode & 0777) == 0;
}

Status replace_file(const std::filesystem::path& path, const std::string& content) {
  struct stat old {};
  const bool replaces = ::stat(path.c_str(), &old) == 0;
  std::filesystem::path part;
  FLYBALL_ASSIGN(const Descriptor file, create_part(path, part));
  if ((!replaces || keep_access(file.get(), old)) && write_and_sync(file.get(), content) &&
      ::rename(part.c_str(), path.c_str()) == 0)
    return {};
  const int reason = errno;
  ::unlink(part.c_str());
  return file_error("write", path, reason);
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
