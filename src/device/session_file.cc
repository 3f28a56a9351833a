#include "device/session_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr off_t places = 64, place_bytes = 256;
constexpr off_t right_byte = 0;

off_t begin_of(off_t place) {
  return place_bytes * (place + 1);
}

struct flock range(short type, off_t begin, off_t bytes) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  range.l_len = bytes;
  return range;
}

bool lock(int file, off_t begin, off_t bytes) {
  struct flock wanted = range(F_WRLCK, begin, bytes);
  return ::fcntl(file, F_OFD_SETLK, &wanted) == 0;
}

// By somebody else: what this open file has locked does not count.
bool is_locked(int file, off_t begin, off_t bytes) {
  struct flock asked = range(F_WRLCK, begin, bytes);
  return ::fcntl(file, F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
}

// "net:[4026531840]": within one of these all see each other's names.
std::string network_namespace() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/ns/net", unknown).string();
}

}  // namespace

fs::path SessionFile::usual_path() {
  const char* named = std::getenv("FLYBALL_SESSIONS");
  return named && *named ? named : "/run/flyball-measuring/sessions";
}

std::optional<SessionFile> SessionFile::open(const fs::path& path) {
  SessionFile opened(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat file {};
  if (opened.file_ < 0 || ::fstat(opened.file_, &file) != 0 || !S_ISREG(file.st_mode)) return {};
  return opened;
}

Status SessionFile::make(const fs::path& path, unsigned group) {
  const fs::path folder = path.parent_path();
  if (::mkdir(folder.c_str(), 0750) != 0 && errno != EEXIST)
    return file_error("make", folder, errno);
  if (::lchown(folder.c_str(), 0, group) != 0 || ::chmod(folder.c_str(), 0750) != 0)
    return file_error("set the permissions of", folder, errno);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0660);
  if (file < 0) return file_error("make", path, errno);
  const SessionFile made(file);
  if (::fchown(file, 0, group) != 0 || ::fchmod(file, 0660) != 0)
    return file_error("set the permissions of", path, errno);
  return {};
}

bool SessionFile::take_right() {
  return lock(file_, right_byte, 1);
}

void SessionFile::announce(const std::string& who) {
  std::string said = network_namespace() + "\n" + who;
  said.resize(place_bytes, '\0');
  for (off_t place = 0; place < places; ++place) {
    const off_t begin = begin_of(place);
    if (!lock(file_, begin, place_bytes)) continue;
    (void)!::pwrite(file_, said.data(), said.size(), begin);
    return;
  }
}

std::vector<std::string> SessionFile::elsewhere() const {
  const std::string own = network_namespace();
  std::vector<std::string> found;
  for (off_t place = 0; place < places; ++place) {
    if (!is_locked(file_, begin_of(place), place_bytes)) continue;
    std::array<char, place_bytes + 1> said{};
    if (::pread(file_, said.data(), place_bytes, begin_of(place)) <= 0) continue;
    const std::vector<std::string> parts = split(said.data(), '\n');
    const bool readable = parts.size() == 2 && text_fault(parts[1]).empty();
    if (readable && parts[0] == own) continue;
    found.push_back(readable ? parts[1] : "another process");
  }
  return found;
}

SessionFile::~SessionFile() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace flyball
