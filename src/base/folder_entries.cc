#include "base/folder_entries.h"

#include <algorithm>
#include <string>

namespace flyball {

std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder,
                                                  std::string_view prefix) {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace flyball
