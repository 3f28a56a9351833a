// Counts allocations of this program, on all threads. For tests only.
#pragma once

namespace flyball {

class AllocationCount {
 public:
  AllocationCount();
  int so_far() const;

 private:
  int before_;
};

}  // namespace flyball
