#include "cli/checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;

// An option left out and an option given as '' are two things.
std::string empty_error(const std::string& text) {
  return text.empty() ? "the value is empty; leave the option out, or give it one" : "";
}

// CLI11 reads 010 as eight, and what is too large as the largest.
template <class Integer>
std::string integer_error(const std::string& text) {
  Integer number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped == end) return "";
  using Limits = std::numeric_limits<Integer>;
  return fmt::format("'{}' is not a whole number from {} to {}", text, Limits::min(),
                     Limits::max());
}

std::string real_error(const std::string& text) {
  const auto number = parse_double(text);
  return number && std::isfinite(*number) ? "" : fmt::format("'{}' is not a number", text);
}

void check_option(CLI::Option& option) {
  // What belongs to another program is not ours to judge.
  const bool words = option.get_positional() && option.get_expected_max() > 1;
  if (option.get_type_size_max() == 0 || words) return;
  const std::string type = option.get_type_name();
  option.check(CLI::Validator(empty_error, ""));
  if (type.starts_with("UINT")) option.check(CLI::Validator(integer_error<uint64_t>, ""));
  if (type.starts_with("INT")) option.check(CLI::Validator(integer_error<int64_t>, ""));
  if (type.starts_with("FLOAT")) option.check(CLI::Validator(real_error, ""));
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
  // A device or a pipe is written to as it is.
  if (fs::exists(file, failed) && !fs::is_regular_file(file, failed))
    return ::access(file.c_str(), W_OK) == 0 ? Status() : file_error("write", file, errno);
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

CLI::Validator sample_count() {
  return {[](const std::string& text) {
            const auto samples = parse_double(text);
            if (samples && std::isfinite(*samples) && *samples >= 1) return std::string();
            return fmt::format("'{}' is not a number of samples: 1 or more, such as 50000", text);
          },
          ""};
}

void check_every_option(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) check_option(*option);
  for (CLI::App* command : app.get_subcommands({})) check_every_option(*command);
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
