#include "telemetry/process/python_package.h"

#include <cstdlib>

namespace flyball {
namespace {

namespace fs = std::filesystem;

fs::path package_folder() {
  std::error_code problem;
  const fs::path bin = fs::read_symlink("/proc/self/exe", problem).parent_path();
  for (const char* place : {"../python", "../lib/flyball/python"})
    if (fs::exists(bin / place / "flyball" / "__init__.py", problem))
      return fs::weakly_canonical(bin / place, problem);
  return {};
}

}  // namespace

std::vector<std::string> python_environment() {
  const fs::path package = package_folder();
  if (package.empty()) return {};
  const char* variable = std::getenv("PYTHONPATH");
  const std::string former = variable ? variable : "";  // an empty entry would be this folder
  return {"PYTHONPATH=" + package.string() + (former.empty() ? "" : ":" + former)};
}

}  // namespace flyball
