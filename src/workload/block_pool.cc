#include "workload/block_pool.h"

#include <sys/mman.h>

#include <algorithm>

namespace flyball {
namespace {

constexpr size_t step = size_t{64} << 20;  ///< made usable at once

}  // namespace

BlockPool& BlockPool::instance() {
  static auto* const pool = new BlockPool;
  return *pool;
}

// As much address space as there is, which costs nothing; kernels of boards may have 39 bits of it.
BlockPool::BlockPool() {
  for (size_t size = size_t{1} << 40; size >= size_t{1} << 36; size /= 2) {
    void* const region =
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) continue;
    region_ = static_cast<std::byte*>(region);
    size_ = size;
    return;
  }
}

void* BlockPool::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > size_) return nullptr;
  const size_t end = places_.find(bytes) + bytes + BestFit::grain;
  if (end > usable_) {
    const size_t wanted = std::min((end + step - 1) / step * step, size_);
    if (end > size_ || mprotect(region_ + usable_, wanted - usable_, PROT_READ | PROT_WRITE) != 0)
      return nullptr;
    usable_ = wanted;
  }
  return region_ + places_.take(bytes);
}

bool BlockPool::give(void* block) {
  auto* const place = static_cast<std::byte*>(block);
  if (!region_ || place < region_ || place >= region_ + size_) return false;
  const std::lock_guard lock(mutex_);
  places_.give(static_cast<size_t>(place - region_));
  return true;
}

size_t BlockPool::kept() const {
  const std::lock_guard lock(mutex_);
  return places_.most();
}

}  // namespace flyball
