// CIFAR-10's binary version (Krizhevsky): records of a label and 3 × 32 × 32 bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

constexpr int kCifarSide = 32;
constexpr size_t kCifarPixels = size_t{3} * kCifarSide * kCifarSide;

/// Opens `data_batch_1.bin` to `data_batch_5.bin`, or `test_batch.bin`, in the folder or its
/// `cifar-10-batches-bin`. Records stay on disk. A label above 9 is an error of its sample.
Result<DatasetPtr> open_cifar10(const std::filesystem::path& folder, Split split);

/// True when the folder holds one of the files of this part.
bool has_cifar10(const std::filesystem::path& folder, Split split);

/// Writes images (count × 3 × 32 × 32 bytes) and their labels as the file or files of a split.
Status write_cifar10(const std::filesystem::path& folder, Split split,
                     std::span<const uint8_t> images, std::span<const uint8_t> labels);

}  // namespace flyball
