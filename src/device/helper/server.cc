#include "device/helper/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/interrupt.h"

namespace flyball {
namespace {

struct Client {
  int number;
  OwnedSocket socket;
  HelperPeer peer;
  LineBuffer buffer{helper_request_bytes};
  double last_message_s = monotonic_s();  ///< its last whole message
  double begun_s = 0;                     ///< of the message that has not ended
  bool gone = false;
};

// A reply fits into the socket's own buffer, or the client does not read.
bool say(const OwnedSocket& socket, const std::string& text) {
  return ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(text.size());
}

// While it lives, signals wait until we wait.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  const sigset_t* before() const { return &before_; }

 private:
  sigset_t before_{};
};

class HelperServer {
 public:
  HelperServer(const OwnedSocket& listening, HelperDispatcher& dispatcher,
               const HelperLimits& limits, const HelperDispatcher::Log& log)
      : listening_(listening), dispatcher_(dispatcher), limits_(limits), log_(log) {}

  Status serve(const std::atomic<bool>& stop) {
    const SignalsHeld held;
    while (!is_interrupted(&stop) && !idle()) {
      std::vector<pollfd> waited = {{listening_.get(), POLLIN, 0}};
      for (const Client& client : clients_) waited.push_back({client.socket.get(), POLLIN, 0});
      const timespec limit = time_left();
      const int ready = ::ppoll(waited.data(), waited.size(), &limit, held.before());
      if (ready < 0 && errno != EINTR) return file_error("wait for", "the helper's socket", errno);
      // Who has gone gives the board up before anybody asks for it.
      for (size_t i = 0; ready > 0 && i < clients_.size(); ++i)
        if ((waited[i + 1].revents & (POLLHUP | POLLERR)) != 0) hang_up(clients_[i]);
      for (size_t i = 0; ready > 0 && i < clients_.size(); ++i)
        if (waited[i + 1].revents != 0 && !clients_[i].gone) read(clients_[i]);
      for (Client& client : clients_) drop_when_late(client);
      remove_gone();
      if (ready > 0 && waited[0].revents != 0) admit();
    }
    for (const Client& client : clients_) dispatcher_.gone(client.number);
    return {};
  }

 private:
  bool idle() const {
    return limits_.idle_s > 0 && clients_.empty() && monotonic_s() >= empty_s_ + limits_.idle_s;
  }

  double deadline_s(const Client& client) const {
    const double silent = client.last_message_s + limits_.silent_s;
    return client.buffer.half() ? std::min(silent, client.begun_s + limits_.half_message_s)
                                : silent;
  }

  // Until the first client is late; a day where nobody can be.
  timespec time_left() const {
    double deadline = monotonic_s() + 86400;
    for (const Client& client : clients_) deadline = std::min(deadline, deadline_s(client));
    if (clients_.empty() && limits_.idle_s > 0)
      deadline = std::min(deadline, empty_s_ + limits_.idle_s);
    const double left = std::max(0.0, deadline - monotonic_s());
    timespec time{};
    time.tv_sec = static_cast<time_t>(left);
    time.tv_nsec = static_cast<long>((left - std::floor(left)) * 1e9);
    return time;
  }

  void read(Client& client) {
    char bytes[helper_request_bytes];
    const ssize_t size = ::recv(client.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) return hang_up(client);
    if (!client.buffer.half()) client.begun_s = monotonic_s();
    client.buffer.add({bytes, static_cast<size_t>(size)});
    while (!client.gone) {
      if (client.buffer.too_long())
        return refuse(client, fmt::format("a message has {} bytes at most", helper_request_bytes));
      const auto line = client.buffer.take();
      if (!line) return;
      if (!say(client.socket, dispatcher_.answer(client.number, client.peer, *line)))
        return hang_up(client);
      client.last_message_s = client.begun_s = monotonic_s();
    }
  }

  void hang_up(Client& client) {
    client.gone = true;
    dispatcher_.gone(client.number);
  }

  void drop_when_late(Client& client) {
    if (client.gone || monotonic_s() < deadline_s(client)) return;
    read(client);  // what came while others were served
    if (client.gone || monotonic_s() < deadline_s(client)) return;
    refuse(client, client.buffer.half() ? "a message did not end in time"
                                        : "there was no message for too long");
  }

  void refuse(Client& client, const std::string& why) {
    log_(fmt::format("{} is refused: {}", client.peer.text(), why));
    say(client.socket, helper_error_line({Code::invalid_argument, "the helper hung up: " + why,
                                          "docs/helper.md says what it allows"}));
    hang_up(client);
  }

  void remove_gone() {
    if (std::erase_if(clients_, [](const Client& client) { return client.gone; }) > 0)
      empty_s_ = monotonic_s();
  }

  // Why another client of this user is too many; "" when it is not.
  std::string too_many(const HelperPeer& peer) const {
    if (clients_.size() >= limits_.clients)
      return fmt::format("it has {} clients, and takes no more", clients_.size());
    const auto of_user = std::ranges::count(clients_, peer.uid,
                                            [](const Client& client) { return client.peer.uid; });
    if (peer.uid != 0 && of_user >= static_cast<std::ptrdiff_t>(limits_.clients_of_user))
      return fmt::format("user {} has {} clients of it already", peer.uid, of_user);
    return "";
  }

  void admit() {
    OwnedSocket socket = accept_client(listening_);
    if (socket.get() < 0) return;
    const auto peer = peer_of(socket);
    if (!peer) return log_(peer.error().message);
    if (const std::string why = too_many(*peer); !why.empty()) {
      log_(fmt::format("{} is refused: {}", peer->text(), why));
      say(socket, helper_error_line(
                      {Code::unavailable, "the helper is busy: " + why, "wait until one ends"}));
      return;
    }
    log_(peer->text() + " is connected");
    clients_.push_back({next_++, std::move(socket), *peer});
  }

  const OwnedSocket& listening_;
  HelperDispatcher& dispatcher_;
  HelperLimits limits_;
  const HelperDispatcher::Log& log_;
  std::vector<Client> clients_;
  int next_ = 1;
  double empty_s_ = monotonic_s();  ///< since when nobody was there
};

}  // namespace

Status serve_helper(const OwnedSocket& listening, HelperDispatcher& dispatcher,
                    const HelperLimits& limits, const std::atomic<bool>& stop,
                    const HelperDispatcher::Log& log) {
  return HelperServer(listening, dispatcher, limits, log).serve(stop);
}

}  // namespace flyball
