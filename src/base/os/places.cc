#include "base/os/places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/os/accounts.h"

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
  if (const auto home = home_of_user(::geteuid())) return *home;
  std::error_code problem;
  const fs::path temporary = fs::temp_directory_path(problem);
  return (problem ? fs::path("/tmp") : temporary) / fmt::format("flyball-home-{}", ::geteuid());
}

Status home_status() {
  if (!variable("HOME").empty()) return {};
  const auto home = home_of_user(::geteuid());
  if (home) return {};
  return Error{home.error().code,
               fmt::format("{}: what is measured is kept in {}", home.error().message,
                           data_folder().string()),
               home.error().hint};
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
