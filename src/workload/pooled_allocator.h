// LibTorch's allocator for CPUs with large blocks from the pool (block_pool.h). In the module only.
#pragma once

namespace flyball {

/// From now on, in all threads; idempotent. What was allocated before is given back as it came.
void pool_host_memory();

}  // namespace flyball
