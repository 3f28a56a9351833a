#include "base/file_version.h"

#include <fmt/format.h>

#include <chrono>

namespace flyball {

std::string file_version(const std::filesystem::path& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return "";
  const auto changed = std::filesystem::last_write_time(path, problem).time_since_epoch();
  return fmt::format("{}: {} bytes of {}", path.string(), std::filesystem::file_size(path, problem),
                     std::chrono::duration_cast<std::chrono::milliseconds>(changed).count());
}

}  // namespace flyball
