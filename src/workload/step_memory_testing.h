// What LibTorch's allocator for CPUs gives, counted by standing in its place.
#pragma once

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace flyball {

/// While it is alive, all of LibTorch's allocations on the CPU are counted, whichever thread makes
/// them. Tensors made meanwhile may outlive it.
class CountedMemory {
 public:
  CountedMemory() : before_(c10::GetAllocator(c10::kCPU)) {
    counting().inner = before_;
    c10::SetAllocator(c10::kCPU, &counting(), 255);
  }
  ~CountedMemory() { c10::SetAllocator(c10::kCPU, before_, 255); }
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;

  void forget_peak() { counting().peak = counting().live; }
  double live() const { return static_cast<double>(counting().live); }
  double peak() const { return static_cast<double>(counting().peak); }

 private:
  // LibTorch wants the block itself as what it is given back by.
  struct Counting final : c10::Allocator {
    c10::DataPtr allocate(size_t bytes) const override {
      void* const place = inner->raw_allocate(bytes);
      const std::lock_guard lock(mutex);
      if (place) {
        live += static_cast<int64_t>(bytes);
        peak = std::max(peak, live);
        held[place] = bytes;
      }
      return {place, place, &give_back, c10::Device(c10::kCPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
    // Also what was there before, and what somebody else gives back who has it from here.
    static void give_back(void* place) {
      Counting& all = counting();
      if (!place) return;
      const std::lock_guard lock(all.mutex);
      if (const auto found = all.held.find(place); found != all.held.end()) {
        all.live -= static_cast<int64_t>(found->second);
        all.held.erase(found);
      }
      all.inner->raw_deallocate(place);
    }
    c10::Allocator* inner = nullptr;
    mutable std::mutex mutex;
    mutable std::unordered_map<void*, size_t> held;
    mutable int64_t live = 0, peak = 0;
  };
  static Counting& counting() {
    static Counting all;
    return all;
  }

  c10::Allocator* before_;
};

}  // namespace flyball
