#include "device/helper/link.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/os/as_root.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr time_t patience_s = 30;  // a board that lags takes seconds for a mode

std::string join_the_group() {
  return fmt::format("sudo usermod -aG {} $USER, then log in again", helper_group);
}

std::string install_remedy() {
  return as_root("helper install");
}

Error not_connected(const fs::path& socket, int reason) {
  const std::string name = socket.string();
  if (reason == ENOENT)
    return {Code::not_found, fmt::format("there is no flyball helper at {}", name),
            install_remedy()};
  if (reason == EACCES || reason == EPERM)
    return {Code::permission, fmt::format("this user may not use the flyball helper at {}", name),
            join_the_group()};
  return {Code::unavailable,
          fmt::format("the flyball helper at {} does not answer: {}", name, std::strerror(reason)),
          "see `flyball helper status`"};
}

Error gone(const std::string& why) {
  return {Code::unavailable, "the flyball helper has gone: " + why,
          "the board is put back by it, at the latest when it starts again; see `flyball helper "
          "status`"};
}

}  // namespace

fs::path helper_socket() {
  const char* named = std::getenv("FLYBALL_HELPER");
  return named && *named ? named : "/run/flyball-helper.sock";
}

std::string rights_remedy(const fs::path& socket) {
  if (::access(socket.c_str(), F_OK) != 0)
    return "run as root, or let the helper do it: " + install_remedy();
  if (::access(socket.c_str(), W_OK) != 0)
    return "run as root, or let the helper do it: " + join_the_group();
  return "run as root; the helper does not do it: see `flyball helper status`";
}

Result<HelperLink> HelperLink::connect(const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket.string();
  if (path.size() >= sizeof address.sun_path) return not_connected(socket, ENAMETOOLONG);
  path.copy(address.sun_path, path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return not_connected(socket, errno);
  HelperLink link(fd);
  const timeval limit{patience_s, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  int failed = -1;
  do failed = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  while (failed != 0 && errno == EINTR);
  if (failed != 0 && errno != EISCONN) return not_connected(socket, errno);
  return link;
}

HelperLink::~HelperLink() {
  if (socket_ >= 0) ::close(socket_);
}

Result<std::string> HelperLink::ask(const HelperRequest& request) {
  const std::string text = helper_request_line(request);
  // One that refuses us has hung up already, and its reason is still to be read.
  (void)!::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  char bytes[4096];
  while (true) {
    if (buffer_.too_long()) return gone("its reply is too long");
    if (auto line = buffer_.take()) return *std::move(line);
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size == 0 || (size < 0 && errno == ECONNRESET)) return gone("it hung up");
    if (size < 0) return gone(errno == EAGAIN ? "it does not answer" : std::strerror(errno));
    buffer_.add({bytes, static_cast<size_t>(size)});
  }
}

}  // namespace flyball
