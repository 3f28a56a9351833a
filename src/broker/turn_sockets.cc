#include "broker/turn_sockets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "broker/turn_message.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

Error taken(const fs::path& path) {
  return {Code::conflict, fmt::format("a broker listens at {} already", path.string()),
          "one broker grants one accelerator; name another socket for another one: --socket"};
}

// Of two that begin at once one listens: to look whether a place is free and to take it is one
// step.
Result<LockFile> take_place(const fs::path& path) {
  auto lock = LockFile::take(path.string() + ".lock", path.string());
  if (!lock && lock.error().code == Code::conflict) return taken(path);
  return lock;
}

FileId file_at(const fs::path& path) {
  struct stat there {};
  return ::lstat(path.c_str(), &there) == 0 ? FileId{there.st_dev, there.st_ino} : FileId{};
}

// A socket that a program lives at is not replaced: a broker's, or one of another kind.
Status check_free(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof address.sun_path) return {};  // which listen_at() says
  name.copy(address.sun_path, name.size());
  const OwnedSocket probe(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool answers =
      ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN;
  if (answers) return taken(path);
  if (errno == EPROTOTYPE || errno == EACCES)
    return Error{Code::conflict, fmt::format("the socket {} is another program's", name),
                 "name another place: --socket FILE"};
  return {};
}

// A folder of this user's own, and none that a link of another one leads to.
Status let_in(const fs::path& folder, gid_t group) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat there {};
  if (opened.get() < 0 || ::fstat(opened.get(), &there) != 0 || there.st_uid != ::geteuid())
    return Error{Code::permission, fmt::format("{} is no folder of this user's", folder.string()),
                 "name another place: --socket FILE"};
  if (::fchown(opened.get(), ::geteuid(), group) != 0 || ::fchmod(opened.get(), 0750) != 0)
    return file_error("let a group into", folder, errno);
  return {};
}

// A folder for the socket; who may enter it may see the socket, which has rights of its own.
Status make_folder(const fs::path& folder, std::optional<gid_t> group) {
  struct stat there {};
  if (folder.empty()) return {};
  if (::stat(folder.c_str(), &there) == 0) {
    const bool enters = !group || (there.st_mode & S_IXOTH) != 0 ||
                        (there.st_gid == *group && (there.st_mode & S_IXGRP) != 0);
    if (enters) return {};
    // The folder where none is named: a broker without a group may have made it.
    if (folder == broker_socket().parent_path()) return let_in(folder, *group);
    return Error{Code::permission,
                 fmt::format("the group cannot enter {}, where the socket is", folder.string()),
                 fmt::format("let it: chgrp {} {} && chmod g+x {}", *group, folder.string(),
                             folder.string())};
  }
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (failed) return file_error("create the folder", folder.parent_path(), failed.value());
  if (::mkdir(folder.c_str(), 0700) != 0) {
    if (errno == EEXIST) return {};  // another broker has made it just now
    return file_error("create the folder", folder, errno);
  }
  return group ? let_in(folder, *group) : Status();
}

// In a folder that everybody may write to, another user may have been there before.
Status check_own_folder(const fs::path& folder) {
  struct stat there {};
  if (folder.empty() || ::lstat(folder.c_str(), &there) != 0) return {};
  if (there.st_uid == ::geteuid() || there.st_uid == 0) return {};
  return Error{Code::permission, fmt::format("{} belongs to another user", folder.string()),
               "name another place: --socket FILE"};
}

int pid_of(const OwnedSocket& client) {
  const auto peer = peer_of(client);
  return peer.ok() ? peer->pid : 0;
}

}  // namespace

fs::path broker_socket() {
  if (const char* named = std::getenv("FLYBALL_BROKER"); named && *named) return named;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime)
    return fs::path(runtime) / "flyball-broker" / "broker.sock";
  if (::geteuid() == 0) return "/run/flyball-broker/broker.sock";
  return fmt::format("/tmp/flyball-broker-{}/broker.sock", ::geteuid());
}

Result<TurnSockets> TurnSockets::listen(const fs::path& path, std::optional<gid_t> group) {
  FLYBALL_CHECK(make_folder(path.parent_path(), group));
  FLYBALL_CHECK(check_own_folder(path.parent_path()));
  TurnSockets sockets;
  FLYBALL_ASSIGN(auto lock, take_place(path));
  sockets.lock_.emplace(std::move(lock));
  FLYBALL_CHECK(check_free(path));
  FLYBALL_ASSIGN(sockets.door_, listen_at(path, group, SOCK_SEQPACKET));
  sockets.path_ = path;
  sockets.bound_ = file_at(path);
  sockets.polled_.push_back({sockets.door_->get(), POLLIN, 0});
  return sockets;
}

TurnSockets::~TurnSockets() {
  if (door_ && door_->get() >= 0 && file_at(path_) == bound_) ::unlink(path_.c_str());
}

int TurnSockets::adopt(OwnedSocket socket) {
  polled_.insert(polled_.begin() + static_cast<std::ptrdiff_t>(ids_.size()),
                 {socket.get(), POLLIN, 0});
  ids_.push_back(++last_id_);
  sockets_.push_back(std::move(socket));
  return last_id_;
}

bool TurnSockets::wait(int64_t until_ns) {
  const int64_t left_ns = std::max<int64_t>(0, until_ns - monotonic_ns());
  const timespec limit{static_cast<time_t>(left_ns / 1'000'000'000), left_ns % 1'000'000'000};
  ready_.clear();
  knocked_ = false;
  if (::ppoll(polled_.data(), polled_.size(), &limit, nullptr) <= 0) return false;
  for (size_t c = 0; c < ids_.size(); ++c)
    if (polled_[c].revents != 0) ready_.push_back(ids_[c]);
  knocked_ = door_ && polled_.back().revents != 0;
  return true;
}

const pollfd* TurnSockets::slot_of(int client) const {
  const auto found = std::ranges::lower_bound(ids_, client);  // ids only grow
  if (found == ids_.end() || *found != client) return nullptr;
  return &polled_[static_cast<size_t>(found - ids_.begin())];
}

void TurnSockets::take(const Take& tell) {
  for (const int client : std::exchange(ready_, {})) receive(client, tell);
  if (std::exchange(knocked_, false)) accept(tell);
}

void TurnSockets::receive(int client, const Take& tell) {
  const pollfd* slot = slot_of(client);
  if (!slot) return;
  std::array<char, turn_message_bytes + 1> bytes;
  const ssize_t size = ::recv(slot->fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size > 0)
    return tell({.kind = TurnEvent::Kind::said,
                 .client = client,
                 .text = {bytes.data(), static_cast<size_t>(size)}});
  close(client);
  tell({.kind = TurnEvent::Kind::gone, .client = client});
}

void TurnSockets::accept(const Take& tell) {
  OwnedSocket socket = accept_client(*door_);
  if (socket.get() < 0) return;
  const int pid = pid_of(socket);
  if (ids_.size() >= most_turn_clients) {
    const std::string why =
        turn_refused(TurnRefusal::many, "too many processes ask this broker for turns");
    (void)!::send(socket.get(), why.data(), why.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  tell({.kind = TurnEvent::Kind::came, .client = adopt(std::move(socket)), .pid = pid});
}

bool TurnSockets::send(int client, std::string_view text) {
  const pollfd* slot = slot_of(client);
  if (!slot) return false;
  return ::send(slot->fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

void TurnSockets::close(int client) {
  const pollfd* slot = slot_of(client);
  if (!slot) return;
  const auto at = slot - polled_.data();
  polled_.erase(polled_.begin() + at);
  ids_.erase(ids_.begin() + at);
  sockets_.erase(sockets_.begin() + at);
}

}  // namespace flyball
