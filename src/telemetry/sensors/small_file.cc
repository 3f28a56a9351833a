#include "telemetry/sensors/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>

#include "base/files.h"
#include "base/text.h"

namespace flyball {

Result<std::string_view> read_small(const char* path, std::span<char> buffer) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error("read", path, errno);
  size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t n = ::read(fd, buffer.data() + size, buffer.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int reason = errno;
      ::close(fd);
      return file_error("read", path, reason);
    }
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  ::close(fd);
  return std::string_view(buffer.data(), size);
}

Result<double> read_number(const char* path) {
  char buffer[128];
  const auto text = read_small(path, buffer);
  if (!text) return text.error();
  const auto value = parse_double(*text);
  if (value && std::isfinite(*value)) return *value;
  std::string shown(trim(text->substr(0, 40)));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return Error{Code::corrupt, fmt::format("{} holds '{}', which is no number", path, shown),
               "does this driver write another format?"};
}

}  // namespace flyball
