// The sockets of the broker: a listening one, and one for each client. Knows nothing of turns.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/os/lock_file.h"
#include "base/status.h"
#include "device/helper/listen.h"

namespace flyball {

inline constexpr size_t most_turn_clients = 64;  ///< connected at once

/// What has happened at a socket.
struct TurnEvent {
  enum class Kind : uint8_t { came, said, gone };
  Kind kind = Kind::said;
  int client = 0;           ///< its number, which no other client ever has
  std::string_view text{};  ///< of `said`; of one that is too long, its beginning and more
  int pid = 0;              ///< of `came`, as the kernel says; 0: not known here
};

/// Which file it is, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

class TurnSockets {
 public:
  using Take = std::function<void(const TurnEvent&)>;

  /// Without a door: clients are adopted.
  TurnSockets() = default;
  /// Clients may come to `path`, whose folder is made where there is none: those of this user, and
  /// of `group` where one is named. Errors: a broker or another program listens there already
  /// (`conflict`); the group cannot enter a folder that was there (`permission`); those of
  /// listen_at().
  static Result<TurnSockets> listen(const std::filesystem::path& path, std::optional<gid_t> group);
  TurnSockets(TurnSockets&&) = default;
  TurnSockets& operator=(TurnSockets&&) = delete;
  ~TurnSockets();

  /// Takes over one end of a pair of sockets; returns the client's number.
  int adopt(OwnedSocket socket);
  /// Waits until something has happened, a signal has come, or this monotonic time; true: something
  /// has happened, which take() tells.
  bool wait(int64_t until_ns);
  /// Tells what wait() has found; the function may send and close.
  void take(const Take& tell);
  /// False: the client does not read, or has gone; it is to be closed.
  bool send(int client, std::string_view text);
  /// Closes a client's socket, of which nothing is told any more.
  void close(int client);
  size_t clients() const { return ids_.size(); }

 private:
  void accept(const Take& tell);
  void receive(int client, const Take& tell);
  const pollfd* slot_of(int client) const;

  std::optional<LockFile> lock_;  ///< beside the socket: who listens there, or is about to
  std::optional<OwnedSocket> door_;
  std::filesystem::path path_;
  FileId bound_{};
  std::vector<pollfd> polled_;  ///< clients in the order of ids_, then the door
  std::vector<int> ids_;
  std::vector<OwnedSocket> sockets_;
  std::vector<int> ready_;  ///< clients that wait() found
  bool knocked_ = false;
  int last_id_ = 0;
};

/// Where the broker listens: $FLYBALL_BROKER, else broker.sock in a folder "flyball-broker" of its
/// own, which containers may mount, below $XDG_RUNTIME_DIR, else below /run (root) or /tmp.
std::filesystem::path broker_socket();

}  // namespace flyball
