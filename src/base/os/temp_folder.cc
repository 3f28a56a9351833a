#include "base/os/temp_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "flyball-temp-";

// Held while its process lives; −1: not to be had.
int lock_of(const fs::path& folder) {
  const int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  ::close(lock);
  return -1;
}

// A folder of this user which nobody holds, and nobody is about to.
bool is_left(const fs::path& folder) {
  constexpr time_t least_age_s = 60;
  struct stat seen {};
  if (::lstat(folder.c_str(), &seen) != 0 || !S_ISDIR(seen.st_mode) || seen.st_uid != ::geteuid())
    return false;
  if (::time(nullptr) - seen.st_mtime < least_age_s) return false;
  const int lock = lock_of(folder);
  if (lock >= 0) ::close(lock);
  return lock >= 0;
}

void remove_left(const fs::path& parent) {
  std::error_code problem;
  std::vector<fs::path> left;
  for (auto entry = fs::directory_iterator(parent, problem);
       !problem && entry != fs::directory_iterator(); entry.increment(problem))
    if (entry->path().filename().string().starts_with(prefix) && is_left(entry->path()))
      left.push_back(entry->path());
  for (const fs::path& folder : left) fs::remove_all(folder, problem);
}

}  // namespace

Result<TempFolder> TempFolder::make(fs::path parent) {
  std::error_code problem;
  if (parent.empty()) parent = fs::temp_directory_path(problem);
  if (problem)
    return Error{Code::not_found, "there is no folder for temporary files: " + problem.message(),
                 "set TMPDIR to a folder that can be written to"};
  remove_left(parent);
  std::string name = (parent / prefix).string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return file_error("make a folder in", parent, errno);
  const int lock = lock_of(name);
  return TempFolder(std::move(name), lock);
}

TempFolder::TempFolder(const fs::path& parent) : lock_(-1) {
  Result<TempFolder> made = make(parent);
  if (!made) throw std::system_error(EIO, std::generic_category(), made.error().message);
  path_ = std::exchange(made->path_, {});
  lock_ = std::exchange(made->lock_, -1);
}

TempFolder::TempFolder(TempFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace flyball
