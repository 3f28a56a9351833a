// Where the data of a run lies, and what is done to the machine for it.
#pragma once

#include <filesystem>
#include <memory>

#include "base/status.h"
#include "experiment/limits.h"
#include "experiment/spec.h"

namespace flyball {

/// Folder of the dataset of a run: one's own (`own`, else the TOML's), the medium's, or one that is
/// made now below `made_root` or the medium's folder. Errors: there is none; it cannot be made.
Result<std::filesystem::path> dataset_for(const ExperimentSpec& spec, const RunSettings& run,
                                          const std::filesystem::path& own,
                                          const std::filesystem::path& made_root);

/// What a run has of memory, in bytes; 0: no limit.
struct RunMemory {
  uint64_t for_set = 0;  ///< page cache and sample cache together
  uint64_t cache = 0;    ///< of it, for the sample cache
  uint64_t limit = 0;    ///< of all that the run newly takes
};
/// Beside `memory_pct` of the set a run may take 16 MB for itself: threads, pictures being decoded.
Result<RunMemory> memory_of(const RunSettings& run, const std::filesystem::path& data);

/// Memory limit and throttled disk of a run, or null when it has none.
Result<std::unique_ptr<Limits>> limits_for(const ExperimentSpec& spec, const RunSettings& run,
                                           const RunMemory& memory,
                                           const std::filesystem::path& data);

}  // namespace flyball
