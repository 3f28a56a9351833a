#include "workload/pooled_allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <mutex>
#include <unordered_map>

#include "workload/block_pool.h"

namespace flyball {
namespace {

// Before and since LibTorch 1.9 or so.
template <class Bytes>
void tell_profiler(void* block, Bytes bytes) {
  const c10::Device cpu(c10::kCPU);
  if constexpr (requires { c10::reportMemoryUsageToProfiler(block, bytes, 0, 0, cpu); })
    c10::reportMemoryUsageToProfiler(block, bytes, 0, 0, cpu);
  else
    c10::reportMemoryUsageToProfiler(block, bytes, cpu);
}

class PooledAllocator final : public c10::Allocator {
 public:
  explicit PooledAllocator(c10::Allocator* inner) : inner_(inner) { self = this; }

  c10::DataPtr allocate(size_t bytes) const override {
    void* const block = bytes >= BlockPool::least ? BlockPool::instance().take(bytes) : nullptr;
    if (!block) return inner_->allocate(bytes);
    if (c10::memoryProfilingEnabled()) {
      const std::lock_guard lock(mutex_);
      told_[block] = bytes;
      tell_profiler(block, static_cast<int64_t>(bytes));
    }
    return {block, block, &give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }

 private:
  static void give_back(void* block) {
    if (!block) return;
    if (c10::memoryProfilingEnabled()) self->untell(block);
    if (!BlockPool::instance().give(block)) self->inner_->raw_deallocate(block);
  }
  void untell(void* block) const {
    const std::lock_guard lock(mutex_);
    const auto found = told_.find(block);
    if (found == told_.end()) return;
    tell_profiler(block, -static_cast<int64_t>(found->second));
    told_.erase(found);
  }

  static PooledAllocator* self;
  c10::Allocator* inner_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<void*, size_t> told_;  ///< of a profiler: blocks it was told of
};
PooledAllocator* PooledAllocator::self = nullptr;

}  // namespace

void pool_host_memory() {
  static std::once_flag once;
  std::call_once(once,
                 [] { c10::SetCPUAllocator(new PooledAllocator(c10::GetCPUAllocator()), 1); });
}

}  // namespace flyball
