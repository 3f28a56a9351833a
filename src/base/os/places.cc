#include "base/os/places.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "base/os/library.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// A variable that is empty counts as one that is not there (as XDG has it); relative ones as well.
fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  const fs::path path = value ? value : "";
  return path.is_absolute() ? path : fs::path();
}

}  // namespace

fs::path home_folder() {
  if (auto home = variable("HOME"); !home.empty()) return home;
  if constexpr (loads_libraries)
    if (const passwd* user = ::getpwuid(::geteuid()); user && *user->pw_dir == '/')
      return user->pw_dir;
  std::error_code problem;
  const fs::path temporary = fs::temp_directory_path(problem);
  return (problem ? fs::path("/tmp") : temporary) / fmt::format("flyball-home-{}", ::geteuid());
}

fs::path data_folder() {
  const auto data = variable("XDG_DATA_HOME");
  return (data.empty() ? home_folder() / ".local/share" : data) / "flyball";
}

fs::path cache_folder() {
  const auto cache = variable("XDG_CACHE_HOME");
  return (cache.empty() ? home_folder() / ".cache" : cache) / "flyball";
}

fs::path configuration_folder() {
  const auto configuration = variable("XDG_CONFIG_HOME");
  return (configuration.empty() ? home_folder() / ".config" : configuration) / "flyball";
}

}  // namespace flyball
