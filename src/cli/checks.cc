#include "cli/checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;

std::string seed_error(const std::string& text) {
  uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, seed);
  if (error == std::errc() && stopped == end) return {};
  return fmt::format("'{}' is not a whole number from 0 to {}", text, UINT64_MAX);
}

// The folders that `folder` lacks, the innermost first.
std::vector<fs::path> missing_folders(fs::path folder) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (; !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path())
    missing.push_back(folder);
  return missing;
}

Status try_file(const fs::path& file) {
  std::error_code failed;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failed);
  if (failed) return file_error("write", file, failed.value());
  const fs::path probe = file.string() + fmt::format(".probe{}", ::getpid());
  const int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return file_error("write", file, errno);
  ::close(fd);
  ::unlink(probe.c_str());
  return {};
}

}  // namespace

CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return std::string(
                text.empty() ? "the value is empty; leave the option out, or give it one" : "");
          },
          ""};
}

CLI::Validator sample_count() {
  return {[](const std::string& text) {
            const auto samples = parse_double(text);
            if (samples && std::isfinite(*samples) && *samples >= 1) return std::string();
            return fmt::format("'{}' is not a number of samples: 1 or more, such as 50000", text);
          },
          ""};
}

CLI::Validator trial_seconds() {
  return {[](const std::string& text) {
            const auto seconds = parse_double(text);
            if (seconds && *seconds >= 0.1 && *seconds <= 3600) return std::string();
            return fmt::format("'{}' is not a time cap: 0.1 to 3600 seconds", text);
          },
          ""};
}

void check_seed(CLI::App& command) {
  command.get_option("--seed")->check(CLI::Validator(seed_error, ""));
}

Status check_writable(const fs::path& file) {
  std::error_code ignored;
  if (!file.has_filename() || fs::is_directory(file, ignored))
    return Error{Code::invalid_argument,
                 fmt::format("cannot write {}: it is a folder", file.string()),
                 "name a file in it"};
  const auto made = missing_folders(file.parent_path());
  const Status status = try_file(file);
  for (const fs::path& folder : made) fs::remove(folder, ignored);
  if (status.ok() || !status.error().hint.empty()) return status;
  return Error{status.error().code, status.error().message, "choose another place"};
}

}  // namespace flyball::cli
