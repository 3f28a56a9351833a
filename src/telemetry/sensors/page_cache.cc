#include "telemetry/sensors/page_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/files.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

namespace flyball {
namespace {

namespace fs = std::filesystem;

// As linux/mman.h declares them from 6.5 on.
struct CachestatRange {
  uint64_t offset, length;
};
struct Cachestat {
  uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::optional<uint64_t> by_cachestat(int fd) {
  CachestatRange range{0, 0};  // a length of 0 means: to the end
  Cachestat stat{};
  if (::syscall(SYS_cachestat, fd, &range, &stat, 0) != 0) return {};
  return stat.cached * page_bytes();
}

std::optional<uint64_t> by_mincore(int fd, uint64_t size) {
  if (size == 0) return 0;
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return {};
  uint64_t cached = 0;
  unsigned char resident[4096];
  const uint64_t step = sizeof resident * page_bytes();
  bool fine = true;
  for (uint64_t offset = 0; fine && offset < size; offset += step) {
    const uint64_t length = std::min(step, size - offset);
    fine = ::mincore(static_cast<char*>(mapped) + offset, length, resident) == 0;
    const uint64_t pages = (length + page_bytes() - 1) / page_bytes();
    for (uint64_t i = 0; fine && i < pages; ++i) cached += (resident[i] & 1) * page_bytes();
  }
  ::munmap(mapped, size);
  return fine ? std::optional(cached) : std::nullopt;
}

bool kernel_has_cachestat() {
  static const bool has = [] {
    const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const bool works = fd >= 0 && by_cachestat(fd).has_value();
    if (fd >= 0) ::close(fd);
    return works;
  }();
  return has;
}

// mincore says "all of it" to whoever may not write the file, so as not to leak other users'
// doings.
bool mincore_is_honest(const char* file, const struct stat& status) {
  return ::geteuid() == 0 || status.st_uid == ::geteuid() ||
         ::faccessat(AT_FDCWD, file, W_OK, AT_EACCESS) == 0;
}

// Opening a pipe would otherwise wait for its writer.
int open_cached(const std::string& file, int more = 0) {
  return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | more);
}

// Adds one file; allocates nothing.
void look_at(const std::string& file, bool use_cachestat, CacheShare& share) {
  const int fd = open_cached(file, O_NOATIME);
  const int again = fd >= 0 ? fd : open_cached(file);
  struct stat status {};
  std::optional<uint64_t> cached;
  if (again >= 0 && ::fstat(again, &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<uint64_t>(status.st_size);
    if (use_cachestat)
      cached = by_cachestat(again);
    else if (mincore_is_honest(file.c_str(), status))
      cached = by_mincore(again, size);
    if (cached) {
      ++share.files;
      share.bytes += size;
      share.cached_bytes += std::min(*cached, size);
    }
  }
  if (!cached) ++share.unreadable;
  if (again >= 0) ::close(again);
}

}  // namespace

Result<std::vector<std::string>> files_below(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return file_error("look at", path, ENOENT);
  std::vector<std::string> files;
  if (!fs::is_directory(status)) files.push_back(path);
  const auto options = fs::directory_options::skip_permission_denied;
  auto entry = fs::recursive_directory_iterator(path, options, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    if (entry->symlink_status(error).type() == fs::file_type::regular)
      files.push_back(entry->path());
  std::ranges::sort(files);
  return files;
}

Result<CacheShare> page_cache_share(const std::vector<std::string>& files, CacheMethod method) {
  CacheShare share;
  const bool use_cachestat =
      method == CacheMethod::cachestat || (method == CacheMethod::any && kernel_has_cachestat());
  share.method = use_cachestat ? "cachestat" : "mincore";
  for (const std::string& file : files) look_at(file, use_cachestat, share);
  if (share.files > 0 || files.empty()) return share;
  return Error{Code::permission,
               fmt::format("none of {} files can be looked at by {}", files.size(), share.method),
               "run as their owner, or on Linux 6.5 or later"};
}

Result<CacheShare> page_cache_share(const fs::path& path) {
  FLYBALL_ASSIGN(const auto files, files_below(path));
  return page_cache_share(files, CacheMethod::any);
}

Status drop_from_page_cache(const fs::path& path) {
  FLYBALL_ASSIGN(const auto files, files_below(path));
  for (const std::string& file : files) {
    const int fd = open_cached(file);
    if (fd < 0) return file_error("open", file, errno);
    (void)::fdatasync(fd);
    const int failure = ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
    if (failure != 0) return file_error("drop from the page cache", file, failure);
  }
  return {};
}

}  // namespace flyball
