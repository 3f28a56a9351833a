#include "data/loader/cache_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "base/files.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMagic = 0x31656863'61436246;  // "FbCache1"
constexpr uint64_t kPage = 4096;                  // head and body begin at multiples of it
constexpr uint64_t kPiece = uint64_t{8} << 20;    // that is reserved at once
constexpr int kMostUsers = 1000;
constexpr auto kPatience = std::chrono::seconds(5);

// Bytes of the file that locks are about; what is written there does not matter.
constexpr off_t kSetUpByte = 0;  ///< held while a user comes or goes
constexpr off_t user_byte(int user) {
  return user;
}

// What begins the memory, before the caller's head.
struct Preface {
  uint64_t magic;
  uint64_t head_bytes, body_bytes;
  std::atomic<uint64_t> reserved;  ///< of the body
};
constexpr uint64_t kPrefaceBytes = 64;
static_assert(sizeof(Preface) <= kPrefaceBytes && std::atomic<uint64_t>::is_always_lock_free);

uint64_t whole_pages(uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

Preface& preface_of(std::byte* memory) {
  return *std::launder(reinterpret_cast<Preface*>(memory));
}

struct flock lock_of(short type, off_t byte, off_t count = 1) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = count;
  return lock;
}

bool take_lock(int fd, off_t byte) {
  struct flock lock = lock_of(F_WRLCK, byte);
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

void give_lock(int fd, off_t byte) {
  struct flock lock = lock_of(F_UNLCK, byte);
  (void)::fcntl(fd, F_OFD_SETLK, &lock);
}

// Whoever holds it needs microseconds; a stopped process must not stop others for ever.
bool take_set_up(int fd) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!take_lock(fd, kSetUpByte)) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// The numbers, other than its own, that this file's users hold.
int other_users(int fd) {
  int count = 0;
  for (off_t from = user_byte(1); from <= user_byte(kMostUsers);) {
    struct flock lock = lock_of(F_WRLCK, from, user_byte(kMostUsers) - from + 1);
    if (::fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return count;
    const off_t begin = std::max(lock.l_start, from);
    const off_t end = lock.l_len == 0 ? user_byte(kMostUsers) + 1 : lock.l_start + lock.l_len;
    count += static_cast<int>(end - begin);
    from = end;
  }
  return count;
}

// Nothing of another user, and nothing that another user may have written.
Status trust(int fd, const fs::path& file) {
  struct stat about = {};
  if (::fstat(fd, &about) != 0) return file_error("look at", file, errno);
  if (S_ISREG(about.st_mode) && about.st_uid == ::geteuid() && (about.st_mode & 077) == 0)
    return {};
  return Error{Code::permission,
               fmt::format("{} is not this user's alone (owner {}, mode {:o})", file.string(),
                           about.st_uid, about.st_mode & 07777),
               "its owner, or root, may remove it"};
}

// Descriptor of the file, or −1.
int open_file(const fs::path& file, int more) {
  return ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | more, 0600);
}

// Removes the files of killed users, of whatever name.
void sweep(const fs::path& folder, const std::string& prefix) {
  std::error_code problem;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem))
    if (entry->path().filename().string().starts_with(prefix)) files.push_back(entry->path());
  for (const fs::path& file : files) {
    const int fd = open_file(file, O_NONBLOCK);
    if (fd < 0) continue;
    if (trust(fd, file).ok() && take_lock(fd, kSetUpByte) && other_users(fd) == 0)
      ::unlink(file.c_str());
    ::close(fd);
  }
}

bool allocate(int fd, uint64_t from, uint64_t bytes) {
  while (::fallocate(fd, 0, static_cast<off_t>(from), static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return false;
  return true;
}

}  // namespace

Result<std::unique_ptr<CacheMemory>> CacheMemory::own(const Plan& plan) {
  std::unique_ptr<CacheMemory> memory(new CacheMemory());
  memory->fd_ = ::memfd_create("flyball-cache", MFD_CLOEXEC);
  if (memory->fd_ < 0) return file_error("make", "memory for a cache", errno);
  FLYBALL_CHECK(memory->begin(plan));
  return memory;
}

Result<std::unique_ptr<CacheMemory>> CacheMemory::shared(const Plan& plan) {
  const std::string prefix = fmt::format("{}{}-", plan.prefix, ::geteuid());
  sweep(plan.folder, prefix);
  const fs::path file = plan.folder / (prefix + plan.name);
  // A file can be removed by its last user between our open() and our lock.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::unique_ptr<CacheMemory> memory(new CacheMemory());
    memory->fd_ = open_file(file, O_CREAT | O_NONBLOCK);
    if (memory->fd_ < 0) return file_error("share", file, errno);
    FLYBALL_CHECK(trust(memory->fd_, file));
    if (!take_set_up(memory->fd_))
      return Error{Code::conflict, fmt::format("a user of {} hangs", file.string()),
                   "end the stopped process that has it open"};
    struct stat about = {};
    if (::fstat(memory->fd_, &about) != 0) return file_error("look at", file, errno);
    if (about.st_nlink == 0) continue;
    memory->file_ = file;
    FLYBALL_CHECK(memory->begin_or_join(plan));
    give_lock(memory->fd_, kSetUpByte);
    return memory;
  }
  return Error{Code::conflict, fmt::format("{} comes and goes", file.string()), "try again"};
}

Status CacheMemory::begin_or_join(const Plan& plan) {
  joined_ = other_users(fd_) > 0;
  const Status status = joined_ ? join(plan) : begin(plan);
  return status.ok() ? take_number() : status;
}

Status CacheMemory::begin(const Plan& plan) {
  if (plan.may_begin) FLYBALL_CHECK(plan.may_begin());
  body_at_ = whole_pages(kPrefaceBytes + plan.head_bytes);
  body_bytes_ = whole_pages(plan.body_bytes);
  const uint64_t all = body_at_ + body_bytes_;
  if (::ftruncate(fd_, 0) != 0 || ::ftruncate(fd_, static_cast<off_t>(all)) != 0 ||
      !allocate(fd_, 0, body_at_))
    return file_error("reserve memory in", is_shared() ? file_ : fs::path("a memory file"), errno);
  FLYBALL_CHECK(map(all));
  Preface* const preface = new (memory_) Preface{};
  preface->head_bytes = plan.head_bytes;
  preface->body_bytes = body_bytes_;
  if (plan.prepare) plan.prepare(head());
  preface->magic = kMagic;
  return {};
}

Status CacheMemory::join(const Plan& plan) {
  const Error other{Code::corrupt,
                    fmt::format("{} is shared by programs of another build", file_.string()),
                    "it is begun anew when they have ended"};
  struct stat about = {};
  if (::fstat(fd_, &about) != 0) return file_error("look at", file_, errno);
  const auto size = static_cast<uint64_t>(about.st_size);
  if (size < whole_pages(kPrefaceBytes + plan.head_bytes)) return other;
  FLYBALL_CHECK(map(size));
  const Preface& preface = preface_of(memory_);
  body_at_ = whole_pages(kPrefaceBytes + plan.head_bytes);
  body_bytes_ = preface.body_bytes;
  if (preface.magic != kMagic || preface.head_bytes != plan.head_bytes ||
      body_bytes_ != size - body_at_ || preface.reserved > body_bytes_)
    return other;
  return plan.sound && !plan.sound(head()) ? Status(other) : Status();
}

Status CacheMemory::map(uint64_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (at == MAP_FAILED) return file_error("map", is_shared() ? file_ : fs::path("memory"), errno);
  memory_ = static_cast<std::byte*>(at);
  mapped_ = bytes;
  return {};
}

Status CacheMemory::take_number() {
  for (user_ = 1; user_ <= kMostUsers; ++user_)
    if (take_lock(fd_, user_byte(user_))) return {};
  return Error{Code::conflict, fmt::format("{} has too many users", file_.string()), ""};
}

CacheMemory::~CacheMemory() {
  if (memory_) ::munmap(memory_, mapped_);
  if (fd_ < 0) return;
  // Without the lock the next start removes it. A file that could not be joined has users.
  if (is_shared() && take_set_up(fd_) && other_users(fd_) == 0) ::unlink(file_.c_str());
  ::close(fd_);  // gives all locks back
}

std::byte* CacheMemory::head() const {
  return memory_ + kPrefaceBytes;
}

std::byte* CacheMemory::body() const {
  return memory_ + body_at_;
}

bool CacheMemory::reserve(uint64_t end) {
  std::atomic<uint64_t>& reserved = preface_of(memory_).reserved;
  uint64_t have = reserved.load(std::memory_order_acquire);
  while (have < end) {
    // Several may reserve the same piece at once: it is one piece all the same.
    uint64_t wanted = std::min(body_bytes_, (end + kPiece - 1) / kPiece * kPiece);
    if (wanted < end) return false;
    if (!allocate(fd_, body_at_ + have, wanted - have)) {
      wanted = end;  // the last bit of memory
      if (!allocate(fd_, body_at_ + have, wanted - have)) return false;
    }
    if (reserved.compare_exchange_weak(have, wanted, std::memory_order_acq_rel)) return true;
  }
  return true;
}

uint64_t CacheMemory::taken_bytes() const {
  return body_at_ + preface_of(memory_).reserved.load(std::memory_order_acquire);
}

bool CacheMemory::alive(int user) const {
  if (user == user_) return true;
  if (user < 1 || user > kMostUsers) return false;
  struct flock lock = lock_of(F_WRLCK, user_byte(user));
  return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int CacheMemory::users() const {
  return 1 + other_users(fd_);
}

}  // namespace flyball
