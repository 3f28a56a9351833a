#include "data/loader/sample_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

#include "base/amounts.h"
#include "base/os/available_memory.h"
#include "base/os/file_version.h"
#include "base/os/interrupt.h"
#include "base/random.h"
#include "data/dataset_conditions.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// A sample's state in one word: nobody's (0); being written by a user, at an offset of the body; or
// ready there. Who is killed in the middle leaves "being written by a number that nobody holds".
constexpr uint64_t kWriting = 1, kReady = 2;

uint64_t word_of(uint64_t state, int user, uint64_t offset) {
  return state | static_cast<uint64_t>(user) << 2 | offset << 16;
}
uint64_t state_of(uint64_t word) {
  return word & 3;
}
int user_of(uint64_t word) {
  return static_cast<int>(word >> 2 & 0x3fff);
}
uint64_t offset_of(uint64_t word) {
  return word >> 16;
}
// The same, being written by nobody (no user has number 0): its place is for whoever comes next.
uint64_t disowned(uint64_t word) {
  return word_of(kWriting, 0, offset_of(word));
}

// What stands before each part of a sample in the body.
struct PartRecord {
  DType dtype;
  TensorShape shape;
};
static_assert(std::is_trivially_copyable_v<PartRecord>);

uint64_t aligned(uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

// Of a sample without bookkeeping: what its size is to the user.
uint64_t raw_bytes(const RawSample& sample) {
  return sample.bytes.size() + sample.parts.bytes();
}

// In the body: bytes as they are; parts, each after its record, at multiples of 8.
uint64_t room_for(const RawSample& sample) {
  uint64_t room = sample.bytes.size();
  for (size_t part = 0; part < sample.parts.size(); ++part) {
    const TensorView view = sample.parts.view(part);
    room = aligned(room) + aligned(sizeof(PartRecord)) +
           dtype_bytes(view.dtype) * static_cast<size_t>(view.shape.elements());
  }
  return sample.parts.size() > 0 ? aligned(room) : room;
}

void write_sample(const RawSample& sample, std::byte* at) {
  if (!sample.bytes.empty()) std::memcpy(at, sample.bytes.data(), sample.bytes.size());
  uint64_t end = sample.bytes.size();
  for (size_t part = 0; part < sample.parts.size(); ++part) {
    const TensorView view = sample.parts.view(part);
    const PartRecord record{view.dtype, view.shape};
    const size_t bytes = dtype_bytes(view.dtype) * static_cast<size_t>(view.shape.elements());
    std::memcpy(at + aligned(end), &record, sizeof record);
    end = aligned(end) + aligned(sizeof record);
    if (bytes > 0) std::memcpy(at + end, view.data, bytes);
    end += bytes;
  }
}

void lend_sample(const std::byte* at, size_t bytes, size_t parts, RawSample& sample) {
  sample.bytes.lend({reinterpret_cast<const uint8_t*>(at), bytes});
  uint64_t end = bytes;
  for (size_t part = 0; part < parts; ++part) {
    PartRecord record;
    std::memcpy(&record, at + aligned(end), sizeof record);
    end = aligned(end) + aligned(sizeof record);
    sample.parts.lend(part, record.dtype, record.shape, at + end);
    end += dtype_bytes(record.dtype) * static_cast<size_t>(record.shape.elements());
  }
}

// Clean pages only; nothing that is missing or refused matters.
void drop_pages(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}

// Equal for the same files in the same state, read as the same samples.
std::string name_of(const Dataset& dataset, const fs::path& folder) {
  ContentHash hash;
  const auto mix = [&hash](const std::string& text) { hash.mix(text + '\n'); };
  for (const auto& [name, value] : dataset_conditions(dataset, folder)) mix(name + "=" + value);
  for (const TensorSpec& part : dataset.parts())
    mix(fmt::format("{} {} {}", part.name, dtype_name(part.dtype), part.shape.text()));
  for (const int size : dataset.shape()) mix(fmt::format("{}", size));
  mix(fmt::format("{}", dataset.classes()));
  return fmt::format("{:016x}", hash.value());
}

uint64_t bytes_of_files(const Dataset& dataset) {
  uint64_t bytes = 0;
  for (const fs::path& file : dataset.files()) {
    std::error_code problem;
    const auto size = fs::file_size(file, problem);
    if (!problem) bytes += size;
  }
  return bytes;
}

// A limit far above the set costs nothing: memory is taken as samples come.
Status check_memory(const Dataset& dataset, uint64_t bytes, std::optional<uint64_t> left) {
  if (!left || bytes <= *left || bytes_of_files(dataset) <= *left) return {};
  return Error{
      Code::unavailable,
      fmt::format("a cache of {}: {} of memory are left", format_bytes(static_cast<double>(bytes)),
                  format_bytes(static_cast<double>(*left))),
      fmt::format("choose a smaller --cache; with half of it: --cache {}MB", *left / 2'000'000)};
}

}  // namespace

struct SampleCache::Head {
  uint64_t layout;  ///< of this head and its entries, for other builds
  uint64_t size_bytes;
  int64_t samples;
  std::atomic<uint64_t> held_bytes;  ///< raw, of samples that have their place
  std::atomic<int64_t> held_samples;
  std::atomic<uint64_t> end;  ///< of what is taken of the body
};

struct SampleCache::Entry {
  std::atomic<uint64_t> word;
  std::atomic<uint64_t> room;  ///< at its offset, from the time on that somebody has it
  int64_t label;
  std::array<int32_t, 3> shape;
  Encoding encoding;
  uint32_t bytes, parts;
};

namespace {
constexpr uint64_t kLayout = 1;
}

SampleCache::SampleCache(DatasetPtr dataset, std::unique_ptr<CacheMemory> memory, std::string note)
    : dataset_(std::move(dataset)), memory_(std::move(memory)), note_(std::move(note)) {}

Result<std::unique_ptr<CacheMemory>> SampleCache::memory_for(const Dataset& dataset,
                                                             const CacheOptions& options,
                                                             std::string& note) {
  const auto samples = static_cast<uint64_t>(dataset.size());
  const auto left = options.memory ? options.memory : available_memory();
  const uint64_t most_padding = 7 + dataset.parts().size() * (aligned(sizeof(PartRecord)) + 14);
  CacheMemory::Plan plan;
  static_assert(sizeof(Head) % alignof(Entry) == 0);
  plan.head_bytes = sizeof(Head) + samples * sizeof(Entry);
  // Of a limit beyond all memory no more can be used, nor mapped.
  plan.body_bytes = std::min(options.bytes, left.value_or(options.bytes)) + samples * most_padding;
  plan.may_begin = [&] { return check_memory(dataset, options.bytes, left); };
  plan.prepare = [&options, samples](std::byte* at) {
    Head* const head = new (at) Head{};
    head->layout = kLayout;
    head->size_bytes = options.bytes;
    head->samples = static_cast<int64_t>(samples);
    std::byte* entry = at + sizeof(Head);
    for (uint64_t i = 0; i < samples; ++i, entry += sizeof(Entry)) new (entry) Entry{};
  };
  plan.sound = [samples](const std::byte* at) {
    const Head& head = *std::launder(reinterpret_cast<const Head*>(at));
    return head.layout == kLayout && head.samples == static_cast<int64_t>(samples);
  };
  if (options.share) {
    plan.folder = options.folder;
    plan.name = name_of(dataset, options.data);
    auto shared = CacheMemory::shared(plan);
    if (shared) return shared;
    note = "not shared: " + shared.error().message;
  }
  return CacheMemory::own(plan);
}

Result<std::shared_ptr<SampleCache>> SampleCache::open(DatasetPtr dataset,
                                                       const CacheOptions& options) {
  if (options.bytes == 0)
    return Error{Code::invalid_argument, "a cache of no bytes", "give a size, e.g. 500MB"};
  std::string note;
  FLYBALL_ASSIGN(auto memory, memory_for(*dataset, options, note));
  std::shared_ptr<SampleCache> cache(
      new SampleCache(std::move(dataset), std::move(memory), std::move(note)));
  cache->disown_the_dead();
  return cache;
}

SampleCache::Head& SampleCache::head() const {
  return *std::launder(reinterpret_cast<Head*>(memory_->head()));
}

SampleCache::Entry& SampleCache::entry(int64_t index) const {
  return std::launder(reinterpret_cast<Entry*>(memory_->head() + sizeof(Head)))[index];
}

// What a dead user of this number was writing must not look as if this one did.
void SampleCache::disown_the_dead() {
  for (int64_t index = 0; index < dataset_->size(); ++index) {
    std::atomic<uint64_t>& word = entry(index).word;
    uint64_t seen = word.load(std::memory_order_relaxed);
    if (state_of(seen) == kWriting && user_of(seen) == memory_->user())
      word.compare_exchange_strong(seen, disowned(seen));
  }
}

bool SampleCache::lend(int64_t index, RawSample& sample) const {
  const Entry& own = entry(index);
  const uint64_t word = own.word.load(std::memory_order_acquire);
  if (state_of(word) != kReady) {
    sample.bytes.own();  // what is fetched next may have none
    return false;
  }
  sample.encoding = own.encoding;
  sample.shape = own.shape;
  sample.label = own.label;
  lend_sample(memory_->body() + offset_of(word), own.bytes, own.parts, sample);
  return true;
}

bool SampleCache::keep(int64_t index, const RawSample& sample) {
  Entry& own = entry(index);
  uint64_t offset = 0;
  if (sample.bytes.size() > UINT32_MAX || !claim(own, sample, offset)) return false;
  write_sample(sample, memory_->body() + offset);
  own.label = sample.label;
  own.shape = sample.shape;
  own.encoding = sample.encoding;
  own.bytes = static_cast<uint32_t>(sample.bytes.size());
  own.parts = static_cast<uint32_t>(sample.parts.size());
  own.word.store(word_of(kReady, 0, offset), std::memory_order_release);
  head().held_samples.fetch_add(1);
  drop_files(index);
  return true;
}

// Makes the sample ours to write, and only then takes room for it: of several who want the same one
// at once the losers take none. A kill between the steps costs the room of this one sample at
// most, until all have left; nothing is ever read that was not written whole.
bool SampleCache::claim(Entry& own, const RawSample& sample, uint64_t& offset) {
  uint64_t seen = own.word.load(std::memory_order_acquire);
  if (state_of(seen) == kReady) return false;
  if (state_of(seen) == kWriting && memory_->alive(user_of(seen))) return false;
  offset = offset_of(seen);
  if (!own.word.compare_exchange_strong(seen, word_of(kWriting, memory_->user(), offset)))
    return false;
  if (own.room.load() >= room_for(sample)) return true;  // that a dead one had
  if (!allocate(sample, offset)) {
    own.word.store(disowned(seen));
    return false;
  }
  // In this order: what is known of the room is never more than there is at the offset.
  own.word.store(word_of(kWriting, memory_->user(), offset));
  own.room.store(room_for(sample));
  return true;
}

bool SampleCache::allocate(const RawSample& sample, uint64_t& offset) {
  if (no_memory_.load(std::memory_order_relaxed)) return false;
  Head& all = head();
  const uint64_t raw = raw_bytes(sample), room = room_for(sample);
  const uint64_t align = sample.parts.size() > 0 ? 8 : 1;
  const auto place_after = [align](uint64_t end) { return (end + align - 1) / align * align; };
  uint64_t held = all.held_bytes.load(), end = all.end.load();
  if (held + raw > all.size_bytes) return false;
  // Memory first, which takes the kernel a while: a kill then costs nothing.
  if (!reserve(place_after(end) + room)) return false;
  do {
    if (held + raw > all.size_bytes) return false;
  } while (!all.held_bytes.compare_exchange_weak(held, held + raw));
  do {
    offset = place_after(end);
    if (!reserve(offset + room)) {
      all.held_bytes.fetch_sub(raw);
      return false;
    }
  } while (!all.end.compare_exchange_weak(end, offset + room));
  return true;
}

bool SampleCache::reserve(uint64_t end) {
  if (memory_->reserve(end)) return true;
  no_memory_ = true;
  return false;
}

void SampleCache::drop_files(int64_t index) const {
  if (const fs::path file = dataset_->own_file(index); !file.empty()) {
    drop_pages(file);
  } else if (head().held_samples.load() == dataset_->size()) {
    for (const fs::path& each : dataset_->files()) drop_pages(each);
  }
}

Status SampleCache::fill(uint64_t seed, const std::atomic<bool>* interrupted) {
  constexpr int kRefused = 64;  // so many that found no room in a row: it is full
  std::vector<int64_t> order(static_cast<size_t>(dataset_->size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  Random(mix_seed(seed, UINT64_MAX)).shuffle(std::span(order));
  RawSample sample;
  int refused = 0;
  for (const int64_t index : order) {
    FLYBALL_CHECK(check_interrupt(interrupted));
    if (refused == kRefused) break;
    if (lend(index, sample) || !dataset_->fetch(index, sample).ok()) continue;
    refused = keep(index, sample) ? 0 : refused + 1;
  }
  return {};
}

uint64_t SampleCache::growth_bytes() const {
  const uint64_t most = std::min(head().size_bytes, bytes_of_files(*dataset_));
  return most - std::min(most, head().held_bytes.load());
}

CacheState SampleCache::state() const {
  const Head& all = head();
  CacheState state;
  state.size_bytes = all.size_bytes;
  state.held_bytes = all.held_bytes.load();
  state.held_samples = all.held_samples.load();
  state.memory_bytes = memory_->taken_bytes();
  state.shared = memory_->is_shared();
  state.joined = memory_->joined();
  state.users = memory_->users();
  state.note = note_;
  if (no_memory_)
    state.note += (note_.empty() ? "" : "; ") +
                  fmt::format("it stopped growing at {}: no memory is left {}",
                              format_bytes(static_cast<double>(state.held_bytes)),
                              memory_->is_shared() ? "in " + memory_->file().parent_path().string()
                                                   : std::string("on this machine"));
  return state;
}

}  // namespace flyball
