// Memory for large tensors on CPUs, kept once it was taken. malloc() keeps it too (see
// keep_freed_memory()), but puts small things into the gaps that tensors leave, so that the next
// step's do not fit into them: a training then holds up to 1.7 times what it needs.
#pragma once

#include <cstddef>
#include <mutex>

#include "base/best_fit.h"
#include "cost/memory.h"

namespace flyball {

/// One region of address space in which blocks are placed by BestFit. Thread-safe. There is one
/// alone that lives as long as the process: LibTorch may give blocks back until then.
class BlockPool {
 public:
  static constexpr size_t least = pooled_from;  ///< smaller ones are left to malloc()

  static BlockPool& instance();
  /// Aligned to 64 bytes. Null: memory or address space ran out, or there is no region.
  void* take(size_t bytes);
  /// False: it is not from here.
  bool give(void* block);
  /// Bytes that it keeps for good: the most that ever lay between its first and its last block.
  size_t kept() const;

 private:
  BlockPool();

  mutable std::mutex mutex_;
  BestFit places_;
  std::byte* region_ = nullptr;
  size_t size_ = 0, usable_ = 0;  ///< of the region: reserved; made usable so far
};

}  // namespace flyball
