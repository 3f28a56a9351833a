#include "telemetry/marks/marks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/files.h"

namespace flyball {
namespace {

constexpr char kMagic[] = "FLYMARK1";
constexpr uint64_t kCapacity = 65536;

size_t bytes_of(uint64_t capacity) {
  return sizeof(marks::Ring) + capacity * sizeof(marks::Slot);
}

// The ring that the environment names, or null: no variable, no such file, or none of ours.
marks::Ring* open_ring() {
  const char* path = std::getenv(marks_variable);
  if (path == nullptr || *path == '\0') return nullptr;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat info {};
  const bool sized =
      ::fstat(file, &info) == 0 && static_cast<size_t>(info.st_size) == bytes_of(kCapacity);
  void* memory =
      sized ? ::mmap(nullptr, bytes_of(kCapacity), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
            : MAP_FAILED;
  ::close(file);
  if (memory == MAP_FAILED) return nullptr;
  auto* ring = static_cast<marks::Ring*>(memory);
  if (std::memcmp(ring->magic, kMagic, sizeof ring->magic) == 0 && ring->capacity == kCapacity)
    return ring;
  ::munmap(memory, bytes_of(kCapacity));
  return nullptr;
}

marks::Ring* shared_ring() {
  static marks::Ring* const ring = open_ring();
  return ring;
}

}  // namespace

namespace marks {

bool wanted() {
  return shared_ring() != nullptr;
}

void write(MarkKind kind, int64_t stall_ns, int64_t compute_ns, const char* name) {
  Ring* ring = shared_ring();
  if (ring == nullptr) return;
  const int64_t now = monotonic_ns();
  const uint64_t number = ring->head.fetch_add(1, std::memory_order_relaxed);
  Slot& slot = ring->slot(number);
  slot.sequence.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot.time_ns = now;
  slot.stall_ns = stall_ns;
  slot.compute_ns = compute_ns;
  slot.kind = static_cast<uint32_t>(kind);
  slot.pid = static_cast<uint32_t>(::getpid());
  std::strncpy(slot.name, name, sizeof slot.name - 1);
  slot.name[sizeof slot.name - 1] = '\0';
  slot.sequence.store(number + 1, std::memory_order_release);
}

}  // namespace marks

Result<std::unique_ptr<MarkReader>> MarkReader::create(const std::filesystem::path& folder) {
  std::string path = (folder / "flyball-marks-XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return file_error("write", path, errno);
  void* memory = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(bytes_of(kCapacity))) == 0)
    memory = ::mmap(nullptr, bytes_of(kCapacity), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int failure = errno;
  ::close(file);
  if (memory == MAP_FAILED) {
    ::unlink(path.c_str());
    return file_error("write", path, failure);
  }
  auto* ring = new (memory) marks::Ring;  // the file's zeros are its slots
  ring->capacity = kCapacity;
  ring->head = 0;
  std::memcpy(ring->magic, kMagic, sizeof ring->magic);
  return std::unique_ptr<MarkReader>(new MarkReader(path, ring));
}

MarkReader::~MarkReader() {
  ::munmap(ring_, bytes_of(kCapacity));
  ::unlink(path_.c_str());
}

std::string MarkReader::environment() const {
  return std::string(marks_variable) + "=" + path_.string();
}

std::vector<Mark> MarkReader::take() {
  std::vector<Mark> taken;
  const uint64_t head = ring_->head.load(std::memory_order_acquire);
  if (head > next_ + kCapacity) {
    lost_ += head - kCapacity - next_;
    next_ = head - kCapacity;
  }
  for (; next_ < head; ++next_) {
    const marks::Slot& slot = ring_->slot(next_);
    const uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
    if (sequence != next_ + 1) {
      if (sequence <= next_) break;  // still being written: next time
      ++lost_;
      continue;
    }
    Mark mark{slot.time_ns,    slot.stall_ns,
              slot.compute_ns, static_cast<MarkKind>(slot.kind),
              slot.pid,        {}};
    mark.name.assign(slot.name, ::strnlen(slot.name, sizeof slot.name));
    if (pid_ == 0) pid_ = mark.pid;
    if (mark.pid == pid_) taken.push_back(std::move(mark));
  }
  return taken;
}

}  // namespace flyball
