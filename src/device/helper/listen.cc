#include "device/helper/listen.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/files.h"
#include "base/os/as_root.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr int first_handed_over = 3;  // SD_LISTEN_FDS_START

Error bad_handover(const std::string& why, bool tcp) {
  return {Code::invalid_argument, "systemd handed over " + why,
          tcp ? "one ListenStream= of an address and a port in the .socket unit"
              : as_root_elsewhere("helper install") + " puts the units in order"};
}

int option_of(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

// Nobody may connect between bind() and chmod().
int bind_closed(int fd, const sockaddr_un& address) {
  const mode_t before = ::umask(0177);
  const int failed = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  return failed;
}

}  // namespace

OwnedSocket::~OwnedSocket() {
  if (fd_ >= 0) ::close(fd_);
}

Result<OwnedSocket> listen_at(const fs::path& path, std::optional<gid_t> group, int type) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof address.sun_path) return file_error("listen at", path, ENAMETOOLONG);
  name.copy(address.sun_path, name.size());
  struct stat there {};
  if (::lstat(name.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode))
      return Error{Code::io,
                   fmt::format("cannot listen at {}: a {} is there", name,
                               S_ISDIR(there.st_mode) ? "folder" : "file"),
                   "name a path where nothing is, or a socket"};
    if (::unlink(name.c_str()) != 0) return file_error("replace", path, errno);
  }
  OwnedSocket socket(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0 || bind_closed(socket.get(), address) != 0 ||
      ::chown(name.c_str(), ::geteuid(), group.value_or(::getegid())) != 0 ||
      ::chmod(name.c_str(), group ? 0660 : 0600) != 0 || ::listen(socket.get(), 16) != 0)
    return file_error("listen at", path, errno);
  return socket;
}

namespace {

Result<std::optional<OwnedSocket>> handed_over(bool tcp) {
  const char* pid = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  const bool ours = pid && count && parse_integer(pid) == ::getpid();
  const std::string sockets = ours ? count : "";
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  if (!ours) return std::optional<OwnedSocket>();
  if (sockets != "1") return bad_handover(fmt::format("{} sockets, not one", sockets), tcp);
  const int fd = first_handed_over;
  const int domain = option_of(fd, SO_DOMAIN);
  const bool fits = tcp ? domain == AF_INET || domain == AF_INET6 : domain == AF_UNIX;
  if (!fits || option_of(fd, SO_TYPE) != SOCK_STREAM || option_of(fd, SO_ACCEPTCONN) != 1)
    return bad_handover(fmt::format("what is no listening {} socket", tcp ? "TCP" : "Unix"), tcp);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return std::optional<OwnedSocket>(OwnedSocket(fd));
}

}  // namespace

Result<std::optional<OwnedSocket>> inherited_socket() {
  return handed_over(false);
}

Result<std::optional<OwnedSocket>> inherited_tcp_socket() {
  return handed_over(true);
}

Status check_closed_to_others(const OwnedSocket& listening) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  if (::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return file_error("examine", "the helper's socket", errno);
  address.sun_path[sizeof address.sun_path - 1] = '\0';
  struct stat file {};
  if (::stat(address.sun_path, &file) != 0) return file_error("examine", address.sun_path, errno);
  if ((file.st_mode & S_IRWXO) == 0) return {};
  return Error{
      Code::permission,
      fmt::format("every user may connect to {}: the helper does not serve it", address.sun_path),
      fmt::format("chmod o-rwx {}, and SocketMode=0660 in its unit", address.sun_path)};
}

OwnedSocket accept_client(const OwnedSocket& listening) {
  return OwnedSocket(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

Result<HelperPeer> peer_of(const OwnedSocket& client) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return file_error("examine", "a client of the helper", errno);
  return HelperPeer{peer.pid, peer.uid, peer.gid};
}

}  // namespace flyball
