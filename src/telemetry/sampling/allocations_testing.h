// Counts allocations of this program, on all threads. For tests only.
#pragma once

#include <cstdint>

namespace flyball {

class AllocationCount {
 public:
  AllocationCount();
  int so_far() const;
  int64_t bytes_so_far() const;

 private:
  int before_;
  int64_t bytes_before_;
};

}  // namespace flyball
