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

Descriptor opened(const fs::path& folder) {
  return Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool lock(const Descriptor& folder) {
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

// A folder of this user which nobody holds, and nobody is about to.
bool is_left(const fs::path& path) {
  constexpr time_t least_age_s = 60;
  const Descriptor folder = opened(path);
  struct stat seen {};
  return ::fstat(folder.get(), &seen) == 0 && seen.st_uid == ::geteuid() &&
         ::time(nullptr) - seen.st_mtime >= least_age_s && lock(folder);
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
  Descriptor folder = opened(name);
  if (!lock(folder)) folder = Descriptor(-1);
  return TempFolder(std::move(name), std::move(folder));
}

TempFolder::TempFolder(const fs::path& parent) : lock_(-1) {
  Result<TempFolder> made = make(parent);
  if (!made) throw std::system_error(EIO, std::generic_category(), made.error().message);
  path_ = std::exchange(made->path_, {});
  lock_ = std::move(made->lock_);
}

TempFolder::TempFolder(TempFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace flyball
