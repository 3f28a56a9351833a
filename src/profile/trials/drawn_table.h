// Every configuration of a profiler tried once, as a table.
#pragma once

#include <atomic>
#include <functional>

#include "profile/trials/profiler.h"
#include "space/table.h"

namespace flyball {

struct DrawOptions {
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(size_t done, size_t total)> progress{};  ///< every 256 of them
};

/// Rows in the order of its space; the batch size is a column where it is fixed, too. Trials that
/// fail are left out. Errors: what measure() says; none could run; `interrupted`.
Result<WorkloadTable> draw_table(Profiler& profiler, const DrawOptions& options = {});

}  // namespace flyball
