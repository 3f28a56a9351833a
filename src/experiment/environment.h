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

/// Memory limit and throttled disk of a run, or null when it has none.
Result<std::unique_ptr<Limits>> limits_for(const ExperimentSpec& spec, const RunSettings& run,
                                           const std::filesystem::path& data);

}  // namespace flyball
