// What the fuzzers of this room share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "data/data_testing.h"
#include "data/dataset.h"

namespace flyball {

/// A folder in memory where there is one: a disk would make a fuzzer fifty times slower.
inline const std::filesystem::path& fuzz_folder() {
  std::error_code ignored;
  if (std::filesystem::is_directory("/dev/shm", ignored)) ::setenv("TMPDIR", "/dev/shm", 1);
  static const TemporaryFolder folder;
  return folder.path();
}

inline void put_file(const std::filesystem::path& path, std::span<const uint8_t> content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) std::abort();
  if (!content.empty()) std::fwrite(content.data(), 1, content.size(), file);
  std::fclose(file);
}

/// Fetches the first samples of a set that could be opened; what comes must hold together.
inline void fetch_all(const Result<DatasetPtr>& set) {
  if (!set.ok()) return;
  RawSample sample;
  for (int64_t i = 0; i < std::min<int64_t>((*set)->size(), 50); ++i) {
    if ((*set)->name(i).empty()) std::abort();
    if (!(*set)->fetch(i, sample).ok()) continue;
    if (sample.label < 0 || sample.label >= (*set)->classes()) std::abort();
    const auto [channels, height, width] = sample.shape;
    const auto expected = static_cast<size_t>(channels) * static_cast<size_t>(height) * width;
    if (sample.encoding == Encoding::planes && sample.bytes.size() != expected) std::abort();
  }
}

}  // namespace flyball
