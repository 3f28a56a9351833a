// What the makers of sets of JPEGs share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "base/status.h"
#include "data/makers/synthetic.h"

namespace flyball {

/// Where the drawings of test parts begin, so that no test picture is a training one.
constexpr int64_t kTestOffset = int64_t{1} << 40;

/// Calls body(i) for all i in parallel (threads 0: all cores); the error of the lowest i that
/// failed.
Status for_each_sample(int64_t count, size_t threads, const std::function<Status(int64_t)>& body);

Status make_folder(const std::filesystem::path& folder);

/// Packed RGB as a JPEG of quality 90. Not synced to disk: such a set can be made again.
Status write_picture(const std::filesystem::path& path, std::span<const uint8_t> rgb,
                     PictureSize size);

}  // namespace flyball
