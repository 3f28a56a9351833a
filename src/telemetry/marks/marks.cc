#include "telemetry/marks/marks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/files.h"

namespace flyball {
namespace {

constexpr char kMagic[] = "FLYMARK1";
constexpr uint64_t kCapacity = 65536;
using NameWords = std::array<uint64_t, 3>;
constexpr size_t kNameBytes = sizeof(NameWords);

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

// Gives the file its size and its blocks.
Status reserve(int file, const std::string& path) {
  int failure = EINTR;
  while (failure == EINTR)
    failure = ::posix_fallocate(file, 0, static_cast<off_t>(bytes_of(kCapacity)));
  if (failure == 0) return {};
  Error error = file_error("reserve 4 MiB for the marks of a program in", path, failure);
  if (failure == ENOSPC || failure == EDQUOT)
    error.hint = "free some room there, or set TMPDIR to a folder that has it";
  return error;
}

Mark mark_of(const marks::Slot& slot) {
  constexpr auto relaxed = std::memory_order_relaxed;
  Mark mark{.time_ns = slot.time_ns.load(relaxed),
            .stall_ns = slot.stall_ns.load(relaxed),
            .compute_ns = slot.compute_ns.load(relaxed),
            .kind = static_cast<MarkKind>(slot.kind.load(relaxed)),
            .pid = slot.pid.load(relaxed)};
  NameWords words{};
  for (size_t i = 0; i < words.size(); ++i) words[i] = slot.name[i].load(relaxed);
  char text[kNameBytes];
  std::memcpy(text, words.data(), sizeof text);
  mark.name.assign(text, ::strnlen(text, sizeof text));
  return mark;
}

void write_to(marks::Ring& ring, MarkKind kind, int64_t stall_ns, int64_t compute_ns,
              const char* name) {
  const int64_t now = monotonic_ns();
  const uint64_t number = ring.head.fetch_add(1, std::memory_order_relaxed);
  marks::Slot& slot = ring.slot(number);
  slot.sequence.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  constexpr auto relaxed = std::memory_order_relaxed;
  slot.time_ns.store(now, relaxed);
  slot.stall_ns.store(stall_ns, relaxed);
  slot.compute_ns.store(compute_ns, relaxed);
  slot.kind.store(static_cast<uint32_t>(kind), relaxed);
  slot.pid.store(static_cast<uint32_t>(::getpid()), relaxed);
  NameWords words{};
  std::memcpy(words.data(), name, ::strnlen(name, kNameBytes - 1));
  for (size_t i = 0; i < words.size(); ++i) slot.name[i].store(words[i], relaxed);
  slot.sequence.store(number + 1, std::memory_order_release);
}

marks::Ring* open_and_introduce() {
  marks::Ring* const ring = open_ring();
  if (ring != nullptr) write_to(*ring, MarkKind::library, -1, -1, "");
  return ring;
}

marks::Ring* shared_ring() {
  static marks::Ring* const ring = open_and_introduce();
  return ring;
}

}  // namespace

namespace marks {

bool wanted() {
  return shared_ring() != nullptr;
}

void write(MarkKind kind, int64_t stall_ns, int64_t compute_ns, const char* name) {
  if (Ring* ring = shared_ring()) write_to(*ring, kind, stall_ns, compute_ns, name);
}

}  // namespace marks

std::optional<int64_t> WindowMarks::begin_ns(const Mark& mark) {
  if (mark.kind != MarkKind::window_begin && mark.kind != MarkKind::window_end) return {};
  const std::pair key(mark.name, mark.stall_ns);
  if (mark.kind == MarkKind::window_begin) {
    open_[key].push_back(mark.time_ns);
    return {};
  }
  const auto begun = open_.find(key);
  if (begun == open_.end()) return {};
  const int64_t begin_ns = begun->second.back();
  begun->second.pop_back();
  if (begun->second.empty()) open_.erase(begun);
  return begin_ns;
}

Result<std::unique_ptr<MarkReader>> MarkReader::create(const std::filesystem::path& folder) {
  std::string path = (folder / "flyball-marks-XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return file_error("write", path, errno);
  const Status reserved = reserve(file, path);
  void* memory = MAP_FAILED;
  if (reserved.ok())
    memory = ::mmap(nullptr, bytes_of(kCapacity), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int failure = errno;
  ::close(file);
  if (memory == MAP_FAILED) {
    ::unlink(path.c_str());
    return reserved.ok() ? file_error("map", path, failure) : reserved.error();
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

bool MarkReader::was_read(const std::string& setting) const {
  return settings_.contains(setting.substr(0, kNameBytes - 1));
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
    Mark mark = mark_of(slot);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (slot.sequence.load(std::memory_order_relaxed) != sequence) {
      ++lost_;  // overwritten while it was copied
      continue;
    }
    tells_settings_ = tells_settings_ || mark.kind == MarkKind::library;
    if (mark.kind == MarkKind::setting) settings_.insert(mark.name);
    if (mark.kind == MarkKind::figure) take_figure(mark);
    if (mark.kind >= MarkKind::setting) continue;
    if (pid_ == 0) pid_ = mark.pid;
    if (mark.pid == pid_)
      taken.push_back(std::move(mark));
    else
      ++of_others_;
  }
  return taken;
}

void MarkReader::take_figure(const Mark& mark) {
  const auto value = std::bit_cast<double>(mark.stall_ns);
  figures_.erase(mark.name);
  not_finite_.erase(mark.name);
  if (std::isfinite(value))
    figures_[mark.name] = value;
  else
    not_finite_.insert(mark.name);
}

}  // namespace flyball
