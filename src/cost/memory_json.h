// Steps as documents, and back: what scripts/networks keeps of a network's memory.
#pragma once

#include "base/json.h"
#include "cost/memory.h"

namespace flyball {

/// `batch_sizes`, the moments `forward_end`, `backward_end` and `end`, and `blocks`: part, begin,
/// end and bytes, these as one number where both sizes have the same. Where the two steps do not
/// allocate alike, all but the sizes stand in `steps`, one for each.
Json memory_model_json(const MemoryModel& model);
/// Of a file of ours: throws for another document.
MemoryModel read_memory_model(const SortedJson& document);

}  // namespace flyball
