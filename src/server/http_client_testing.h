// A client that says exactly what a test wants said.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

namespace flyball {

class HttpTestClient {
 public:
  explicit HttpTestClient(uint16_t port)
      : HttpTestClient(port, ::socket(AF_INET, SOCK_STREAM, 0)) {}
  /// With a socket that was there before; it is closed at the end.
  HttpTestClient(uint16_t port, int unconnected) : socket_(unconnected) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{20, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~HttpTestClient() { close(socket_); }
  HttpTestClient(const HttpTestClient&) = delete;
  HttpTestClient& operator=(const HttpTestClient&) = delete;

  bool connected() const { return connected_; }
  /// False: the server has hung up.
  bool say(const std::string& text) const {
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t n = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<size_t>(n);
    }
    return true;
  }
  /// Until what came holds `end` (empty: until the server hangs up, or 20 s of silence).
  std::string hear(const std::string& end = "") {
    char piece[65536];
    while (end.empty() || heard_.find(end) == std::string::npos) {
      const ssize_t n = recv(socket_, piece, sizeof piece, 0);
      if (n <= 0) {
        hung_up_ = n == 0 || (errno != EAGAIN && errno != EINTR);
        reset_ = n < 0 && errno == ECONNRESET;
        break;
      }
      heard_.append(piece, static_cast<size_t>(n));
    }
    return std::exchange(heard_, "");
  }
  /// The server has: it was not we who lost patience.
  bool hung_up() const { return hung_up_; }
  /// It did so without a word, or threw away what was said.
  bool reset() const { return reset_; }
  /// Says no more, and still hears.
  void end_saying() const { shutdown(socket_, SHUT_WR); }

 private:
  int socket_;
  bool connected_ = false, hung_up_ = false, reset_ = false;
  std::string heard_;
};

/// One request on a connection of its own; all that comes back.
inline std::string http_exchange(uint16_t port, const std::string& request) {
  HttpTestClient client(port);
  client.say(request);
  return client.hear();
}

inline std::string request_text(const std::string& first, const std::string& body = "",
                                const std::string& headers = "") {
  return first + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers +
         (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
         body;
}

}  // namespace flyball
