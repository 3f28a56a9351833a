// The socket of the helper: made here, or by systemd, and who is at its other end.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/status.h"
#include "device/helper/dispatcher.h"

namespace flyball {

/// A descriptor that is closed with its owner.
class OwnedSocket {
 public:
  explicit OwnedSocket(int fd = -1) : fd_(fd) {}
  OwnedSocket(OwnedSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedSocket& operator=(OwnedSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedSocket();
  int get() const { return fd_; }
  /// Whoever asks closes it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// A listening socket at `path` that this user, root and the members of `group`, if any, may
/// connect to; one that a dead process left is replaced. Error: the path is taken by what is no
/// socket.
Result<OwnedSocket> listen_at(const std::filesystem::path& path, std::optional<gid_t> group,
                              int type = SOCK_STREAM);

/// The socket that systemd made and hands over (LISTEN_PID, LISTEN_FDS; sd_listen_fds(3)); nothing
/// where it does not. The variables are gone afterwards. Error: it is no one listening Unix socket.
Result<std::optional<OwnedSocket>> inherited_socket();

/// The same of a TCP socket.
Result<std::optional<OwnedSocket>> inherited_tcp_socket();

/// Error `permission`: users that are neither root nor in its group may connect to this socket.
Status check_closed_to_others(const OwnedSocket& listening);

/// The next client, without waiting; −1 inside where there is none.
OwnedSocket accept_client(const OwnedSocket& listening);
/// Who connected, as the kernel noted it then (SO_PEERCRED).
Result<HelperPeer> peer_of(const OwnedSocket& client);

}  // namespace flyball
