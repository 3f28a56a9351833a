#include "base/os/machine_name.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>

#include "base/files.h"
#include "base/text.h"

namespace flyball {

Result<MachineName> MachineName::take(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The first byte is zero: a name, not a path.
  if (name.empty() || name.size() > std::min<size_t>(100, sizeof address.sun_path - 1))
    return Error{Code::invalid_argument, fmt::format("'{}' is no name of a machine's", name), ""};
  name.copy(address.sun_path + 1, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  MachineName taken(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (taken.socket_ < 0) return file_error("take", "@" + name, errno);
  if (::bind(taken.socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0) return taken;
  if (errno != EADDRINUSE) return file_error("take", "@" + name, errno);
  return Error{Code::conflict, fmt::format("'{}' is taken", name), ""};
}

std::vector<std::string> MachineName::in_use(const std::string& beginning) {
  std::vector<std::string> names;
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    const size_t at = line.find(" @");
    if (at == std::string::npos) continue;
    std::string name = line.substr(at + 2);
    if (name.starts_with(beginning) && text_fault(name).empty()) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

MachineName::~MachineName() {
  if (socket_ >= 0) ::close(socket_);
}

}  // namespace flyball
