// Opens whatever dataset a folder holds.
#pragma once

#include <filesystem>

#include "data/dataset.h"

namespace flyball {

/// Recognises the true formats by their files. Errors: no such folder; nothing in it that is known.
Result<DatasetPtr> open_dataset(const std::filesystem::path& folder, Split split);

}  // namespace flyball
