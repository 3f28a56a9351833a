#include "device/setting_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/text.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_setting = size_t{1} << 16;

class KernelFiles final : public SettingFiles {
 public:
  // Whatever a tree has there is the kernel's, a device as well.
  Result<std::string> read(const fs::path& file) override {
    char buffer[largest_setting + 1];
    FLYBALL_ASSIGN(const std::string_view text, read_small(file.c_str(), buffer));
    if (text.size() > largest_setting)
      return Error{Code::corrupt,
                   fmt::format("{} is larger than {} bytes", file.string(), largest_setting),
                   "is this the right file?"};
    return std::string(text);
  }

  Status write(const fs::path& file, const std::string& value) override {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return file_error("set", file, errno);
    // A regular file (a recorded tree) would keep the tail of a longer old value.
    (void)!::ftruncate(fd, 0);
    errno = EIO;  // of a write that takes only a part
    const ssize_t written = ::write(fd, value.data(), value.size());
    const int reason = errno;
    ::close(fd);
    if (written != static_cast<ssize_t>(value.size()))
      return file_error(fmt::format("write '{}' to", value), file, reason);
    return {};
  }
};

}  // namespace

SettingFiles& kernel_files() {
  static KernelFiles files;
  return files;
}

bool SettingRule::accepts(const std::string& asked, const std::string& got) const {
  if (trim(asked) == trim(got)) return true;
  const auto wanted = parse_double(asked), answered = parse_double(got);
  return wanted && answered && *answered <= *wanted + above && *answered >= *wanted - below;
}

}  // namespace flyball
