// A dataset as a condition of what is measured on it.
#pragma once

#include <filesystem>

#include "data/dataset.h"
#include "space/conditions.h"

namespace flyball {

/// Kind, folder (without links), number of samples, and of its files their number, bytes, the
/// time of the latest change and a checksum of names, sizes and times. Of many files, 16,384 spread
/// over the set are looked at, so that a set of any size takes less than about 0.1 s once its
/// folders are listed.
Conditions dataset_conditions(const Dataset& dataset, const std::filesystem::path& folder);

}  // namespace flyball
