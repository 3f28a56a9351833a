// How much of a dataset the kernel holds in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

struct CacheShare {
  uint64_t files = 0;
  uint64_t bytes = 0;         ///< of the files
  uint64_t cached_bytes = 0;  ///< in whole pages, at most the size of each file
  std::string method;         ///< "cachestat" (Linux 6.5) or "mincore"
  uint64_t unreadable = 0;    ///< files that could not be looked at; in no other figure

  double share() const {
    return bytes > 0 ? static_cast<double>(cached_bytes) / static_cast<double>(bytes) : 0;
  }
};

/// Regular files below a folder (or the file itself), sorted; links are not followed.
Result<std::vector<std::string>> files_below(const std::filesystem::path& path);

/// Looks at every file: some microseconds each. Neither reads nor evicts anything. Errors: no such
/// path; no file could be looked at; the kernel tells only owners (mincore since Linux 5.2).
Result<CacheShare> page_cache_share(const std::filesystem::path& path);

/// For tests: which method to use.
enum class CacheMethod { any, cachestat, mincore };
Result<CacheShare> page_cache_share(const std::vector<std::string>& files, CacheMethod method);

/// Asks the kernel to drop clean pages of these files (dirty ones are written first).
Status drop_from_page_cache(const std::filesystem::path& path);

}  // namespace flyball
