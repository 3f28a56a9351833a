// Opens whatever data set a folder holds, in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

/// "mnist", "cifar10", "images" and so on.
const std::vector<std::string>& dataset_kinds();

/// A file with this name stands in a folder while a set is being made there, and stays where that
/// was cut off: such a folder is no data set.
inline constexpr const char* unfinished_mark = ".unfinished";

/// The kind that the files in a folder show; an error when it is none.
Result<std::string> detect_dataset(const std::filesystem::path& folder);

/// True when any file of one part of a set of this kind is there.
bool has_part(const std::filesystem::path& folder, const std::string& kind, Split split);

/// Opens one part of a set of any kind, in place. `classes` 0: as many as the kind or the set has.
/// Texts come in rows of default_row_tokens (text/question_set.h).
Result<DatasetPtr> open_dataset(const std::filesystem::path& folder, Split split,
                                int64_t classes = 0);

}  // namespace flyball
