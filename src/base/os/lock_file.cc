#include "base/os/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/process_name.h"
#include "base/text.h"

namespace flyball {
namespace {

std::string ourselves() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} ({}) on {} since {}", ::getpid(), command_of(::getpid()),
                     host.data(), wall_clock_utc());
}

// The owner before may have removed the file between our opening and our locking it.
bool still_there(int file, const std::filesystem::path& path) {
  struct stat ours {
  }, named{};
  return ::fstat(file, &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

}  // namespace

Result<bool> LockFile::attempt() {
  while (true) {
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) return file_error("lock", path_, errno);
    const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
    const int reason = errno;
    if (locked && still_there(file, path_)) {
      file_ = file;
      return true;
    }
    ::close(file);
    if (locked || reason == EINTR) continue;
    if (reason != EWOULDBLOCK) return file_error("lock", path_, reason);
    return false;
  }
}

std::string LockFile::holder(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return "";
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  const auto name = held ? read_file(path, 4096) : std::string();
  return name ? std::string(trim(*name)) : "";
}

Result<LockFile> LockFile::take(const std::filesystem::path& path, const std::string& what,
                                double patience_s) {
  LockFile lock(path);
  const int64_t deadline_ns = monotonic_ns() + static_cast<int64_t>(patience_s * 1e9);
  while (true) {
    FLYBALL_ASSIGN(const bool taken, lock.attempt());
    if (taken) break;
    if (monotonic_ns() >= deadline_ns) {
      const std::string name = holder(path);
      return Error{Code::conflict,
                   fmt::format("{} is held by {} ({})", what,
                               name.empty() ? "another process" : name, path.string()),
                   ""};
    }
    sleep_until_ns(monotonic_ns() + 5'000'000);
  }
  lock.owner_ = ::getpid();
  const std::string name = ourselves();
  // Only who asks in vain reads it.
  if (::ftruncate(lock.file_, 0) == 0) (void)!::pwrite(lock.file_, name.data(), name.size(), 0);
  return lock;
}

LockFile::~LockFile() {
  if (file_ < 0) return;
  if (owner_ == ::getpid()) ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace flyball
