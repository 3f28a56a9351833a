#include "base/os/as_root.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Where sudo looks, as distributions set its secure_path.
constexpr std::array<std::string_view, 6> folders_of_root = {
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};

// What a shell starts by this name; "" where it finds none.
fs::path found_in(std::string_view path, const std::string& name) {
  for (const std::string& folder : split(path, ':')) {
    std::error_code problem;
    const fs::path file = fs::canonical(fs::path(folder) / name, problem);
    if (!problem && fs::is_regular_file(file, problem)) return file;
  }
  return {};
}

}  // namespace

std::string as_root_elsewhere(std::string_view words) {
  return "sudo \"$(command -v flyball)\" " + std::string(words);
}

std::string as_root(std::string_view words, const std::string& program, std::string_view path) {
  const fs::path file = program;
  const std::string folder = file.parent_path().string();
  const bool named = file.filename() == "flyball";
  if (program.empty() ||
      (named && std::ranges::find(folders_of_root, folder) != folders_of_root.end()))
    return "sudo flyball " + std::string(words);
  if (named && found_in(path, "flyball") == file) return as_root_elsewhere(words);
  return "sudo " + shell_word(program) + " " + std::string(words);
}

std::string as_root(std::string_view words) {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const char* path = std::getenv("PATH");
  return as_root(words, program.string(), path ? path : "");
}

}  // namespace flyball
