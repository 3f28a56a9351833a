#include "cli/checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;

// Larger than anything that is measured or asked for; sums and products of it stay finite.
constexpr double largest_number = 1e15;

/// What one command line names, by place: the option that does.
struct Places {
  std::map<fs::path, std::string> written;
  std::map<fs::path, std::string> read;  ///< files that are there: a store, a table, a campaign
};

fs::path place_of(const std::string& text) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(text, ignored), ignored);
}

std::string replaced_error(const std::string& other, const std::string& text) {
  return fmt::format("{} names '{}', too: one would replace the other", other, text);
}

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
  if (!number || !std::isfinite(*number)) return fmt::format("'{}' is not a number", text);
  return std::abs(*number) <= largest_number
             ? ""
             : fmt::format("'{}' is beyond {:g}, the largest that is taken", text, largest_number);
}

// A misspelt folder is said, not made.
std::string folder_error(const std::string& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return fmt::format("cannot write {}: it is a folder; name a file in it", file);
  const fs::path folder = fs::path(file).parent_path();
  if (folder.empty() || fs::is_directory(folder, ignored)) return "";
  if (fs::exists(folder, ignored))
    return fmt::format("cannot write {}: '{}' is no folder; choose another place", file,
                       folder.string());
  return fmt::format(
      "cannot write {0}: there is no folder '{1}'; make it (mkdir -p '{1}'), or choose another "
      "place",
      file, folder.string());
}

// One place is given once; `-` would be a file of that name.
CLI::Validator place_check(const std::string& option, bool file,
                           const std::shared_ptr<Places>& taken) {
  return {[option, file, taken](const std::string& text) -> std::string {
            if (text == "-")
              return "'-' is no place to write to; without such an option much goes to stdout, and "
                     "./- is a file of that name";
            std::error_code ignored;
            const fs::path place = place_of(text);
            if (const auto read = taken->read.find(place); read != taken->read.end())
              return replaced_error(read->second, text);
            const auto [other, first] = taken->written.emplace(place, option);
            // Devices and pipes take one after the other.
            if (first || other->second == option ||
                (fs::exists(place, ignored) && !fs::is_regular_file(place, ignored) &&
                 !fs::is_directory(place, ignored)))
              return file ? folder_error(text) : "";
            return replaced_error(other->second, text);
          },
          ""};
}

// A file that is read is not written to by another option.
CLI::Validator read_check(const std::string& option, const std::shared_ptr<Places>& taken) {
  return {[option, taken](const std::string& text) -> std::string {
            const size_t colon = text.starts_with("table:") ? 6 : 0;
            std::error_code ignored;
            if (!fs::is_regular_file(text.substr(colon), ignored)) return "";
            const fs::path place = place_of(text.substr(colon));
            if (const auto other = taken->written.find(place); other != taken->written.end())
              return replaced_error(other->second, text.substr(colon));
            taken->read.emplace(place, option);
            return "";
          },
          ""};
}

void check_option(CLI::Option& option, const std::shared_ptr<Places>& taken) {
  // What belongs to another program is not ours to judge.
  const bool words = option.get_positional() && option.get_expected_max() > 1;
  if (option.get_type_size_max() == 0 || words) return;
  const std::string type = option.get_type_name();
  option.check(CLI::Validator(empty_error, ""));
  if (type == "FILE" || type == "FOLDER")
    option.check(place_check(option.get_name(), type == "FILE", taken));
  else if (type.starts_with("TEXT") || type == "STORE")
    option.check(read_check(option.get_name(), taken));
  if (type.starts_with("UINT")) option.check(CLI::Validator(integer_error<uint64_t>, ""));
  if (type.starts_with("INT")) option.check(CLI::Validator(integer_error<int64_t>, ""));
  if (type.starts_with("FLOAT")) option.check(CLI::Validator(real_error, ""));
}

// Checks nothing; its name is what help and completion read (cli/line/help_formatter.h).
CLI::Validator named_words(const std::string& kind, const std::vector<std::string>& words) {
  return {[](const std::string&) { return std::string(); },
          fmt::format("{}{{{}}}", kind, join(words, ","))};
}

Status try_file(const fs::path& file) {
  std::error_code failed;
  // A device or a pipe is written to as it is.
  if (fs::exists(file, failed) && !fs::is_regular_file(file, failed))
    return ::access(file.c_str(), W_OK) == 0 ? Status() : file_error("write", file, errno);
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
            const bool whole = samples && *samples == std::floor(*samples);
            if (whole && std::isfinite(*samples) && *samples >= 1) return std::string();
            return fmt::format(
                "'{}' is not a number of samples: a whole one, 1 or more, such as 50000", text);
          },
          ""};
}

CLI::Option* writes(CLI::Option* option, const char* kind) {
  return option->type_name(kind);
}

void check_every_option(CLI::App& app) {
  const auto taken = std::make_shared<Places>();
  for (CLI::Option* option : app.get_options()) check_option(*option, taken);
  for (CLI::App* command : app.get_subcommands({})) check_every_option(*command);
}

CLI::Option* takes_one_of(CLI::Option* option, const std::vector<std::string>& words) {
  constexpr size_t at_a_glance = 4;  // more stand in the description
  return option->check(named_words(words.size() > at_a_glance ? "one of " : "", words));
}

CLI::Option* offers(CLI::Option* option, const std::vector<std::string>& words) {
  return option->check(named_words("such as ", words));
}

Status check_writable(const fs::path& file) {
  const Status status = try_file(file);
  if (status.ok() || !status.error().hint.empty()) return status;
  return Error{status.error().code, status.error().message, "choose another place"};
}

Status check_other_file(const std::filesystem::path& out, const std::filesystem::path& record) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(out, record, ignored)) return {};
  return Error{Code::invalid_argument,
               fmt::format("{} is the record: it would be written over", out.string()),
               "name another file with --out"};
}

}  // namespace flyball::cli
