// MNIST's IDX files (LeCun, Cortes, Burges), gzipped or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

/// Opens the images and labels of one split: `train-images-idx3-ubyte` and
/// `train-labels-idx1-ubyte`, or `t10k-…`, each with or without `.gz` (the dotted names of some
/// mirrors, `train-images.idx3-ubyte`, are taken too). Images stay on disk unless gzipped.
/// `classes` 0: as many as the training part has, 10 (MNIST's) and those after them of which each
/// has a sample there, so that one wrong label makes no class. A label of `classes` or more is an
/// error of its sample, not of the set.
Result<DatasetPtr> open_idx(const std::filesystem::path& folder, Split split, int64_t classes = 0);

/// True when the folder holds one of the two files of this part.
bool has_idx(const std::filesystem::path& folder, Split split);

/// Writes images (count × height × width bytes) and their labels as the two IDX files of a split.
Status write_idx(const std::filesystem::path& folder, Split split, std::span<const uint8_t> images,
                 std::span<const uint8_t> labels, int height, int width);

}  // namespace flyball
