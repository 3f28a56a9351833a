// Replaces operator new for this test program; alone in its file, so that nothing is inlined.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "telemetry/sampling/allocations_testing.h"

namespace {
std::atomic<int> allocations{0};
std::atomic<int64_t> bytes{0};
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  bytes += static_cast<int64_t>(size);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  bytes += static_cast<int64_t>(size);
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace flyball {

AllocationCount::AllocationCount() : before_(allocations), bytes_before_(bytes) {}
int AllocationCount::so_far() const {
  return allocations - before_;
}
int64_t AllocationCount::bytes_so_far() const {
  return bytes - bytes_before_;
}

TEST(AllocationCount, Counts) {
  const AllocationCount count;
  void* memory = ::operator new(8);
  EXPECT_EQ(count.so_far(), 1);
  EXPECT_EQ(count.bytes_so_far(), 8);
  ::operator delete(memory);
}

}  // namespace flyball
