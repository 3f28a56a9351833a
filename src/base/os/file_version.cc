#include "base/os/file_version.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

namespace flyball {
namespace {

std::string changed_text(int64_t changed_ns) {
  const std::time_t seconds = changed_ns / 1'000'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds),
                     changed_ns / 1'000'000 % 1000);
}

}  // namespace

std::optional<FileStamp> file_stamp(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return FileStamp{status.st_size,
                   int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::string files_version(std::span<const std::filesystem::path> files) {
  int64_t bytes = 0, latest_ns = 0;
  ContentHash32 checksum;
  for (const std::filesystem::path& file : files) {
    const FileStamp stamp = file_stamp(file).value_or(FileStamp());
    bytes += stamp.bytes;
    latest_ns = std::max(latest_ns, stamp.changed_ns);
    checksum.mix(file.filename().native());
    checksum.mix({reinterpret_cast<const char*>(&stamp), sizeof stamp});
  }
  return fmt::format("{} with {} bytes of {} ({:08x})", files.size(), bytes,
                     changed_text(latest_ns), checksum.value());
}

std::string file_version(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto stamp = file_stamp(path);
  if (!stamp || !std::filesystem::is_regular_file(path, ignored)) return "";
  return fmt::format("{} bytes of {}", stamp->bytes, changed_text(stamp->changed_ns));
}

}  // namespace flyball
