#include "data/dataset_conditions.h"

#include <fmt/format.h>

#include <vector>

#include "base/os/file_version.h"

namespace flyball {
namespace {

constexpr size_t most_looked_at = 16384;

std::string files_text(const std::vector<std::filesystem::path>& files) {
  if (files.size() <= most_looked_at) return files_version(files);
  std::vector<std::filesystem::path> some;
  for (size_t i = 0; i < most_looked_at; ++i)
    some.push_back(files[i * files.size() / most_looked_at]);
  return fmt::format("{}, of which {}", files.size(), files_version(some));
}

}  // namespace

Conditions dataset_conditions(const Dataset& dataset, const std::filesystem::path& folder) {
  std::error_code ignored;
  return {{"dataset", std::filesystem::weakly_canonical(folder, ignored).string()},
          {"dataset kind", dataset.kind()},
          {"dataset samples", fmt::format("{}", dataset.size())},
          {"dataset files", files_text(dataset.files())}};
}

}  // namespace flyball
