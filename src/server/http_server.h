// HTTP/1.1 as a service sees it: whole requests in, answers out, a stream of events. Sockets are
// Boost.Asio's (asio.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "server/http_access.h"

namespace flyball {

/// What a client may make us hold or wait for.
struct HttpLimits {
  size_t header_bytes = 16 << 10;
  size_t body_bytes =
      64 << 20;  ///< also of what a compressed one becomes; all_bodies and 64 KiB at most
  size_t all_bodies =
      256 << 20;              ///< bodies beyond their first 64 KiB, and answers, of all requests
  size_t connections = 1024;  ///< most_connections() at most; the one that waits longest for a
                              ///< request makes room, else the new one is refused (503)
  size_t listeners = 64;      ///< connections that may be a stream of events; half of all at most
  size_t event_bytes = 1 << 20;  ///< events that one listener may be behind
  size_t kept_events = 600;      ///< told to who begins to listen, up to half of event_bytes
  double header_s = 10;    ///< from the first byte of a request to the end of its header; on a
                           ///< new connection also to the first byte
  double body_s = 60;      ///< of its body, and of the answer
  double idle_s = 75;      ///< between requests
  double listener_s = 10;  ///< in which a listener takes an event
  double linger_s = 5;     ///< after a last answer, until the client hangs up, too
};

struct HttpOptions {
  ListenAddress listen{};
  int listening = -1;  ///< a listening TCP socket that was handed over, instead; it is closed here
  HttpLimits limits{};
  std::string token{};  ///< that requests must bear (but for health and the page); "": none
};

/// What is known of a request before its body is read.
struct HttpHead {
  std::string method;  ///< "GET"
  std::string path;    ///< decoded, without what stands behind "?"; "" where that is malformed
  std::vector<std::string> segments{};  ///< of the path: a slash within one was "%2F"
};

struct HttpRequest {
  std::string method;                   ///< "GET"
  std::string path;                     ///< decoded, without what stands behind "?"
  std::string body;                     ///< decompressed
  std::string inference_header_length;  ///< Inference-Header-Content-Length; "" without
  std::vector<std::string> segments{};  ///< of the path, as HttpHead has them
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string_view file{};  ///< behind the body: bytes that last as long as the program
  bool events = false;      ///< the connection becomes a listener of publish()
};

/// The way back to the client. Thread-safe; the first answer counts, and a reply that is dropped
/// without answering answers 500.
class HttpReply {
 public:
  class Sink;
  explicit HttpReply(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  void send(HttpResponse response) const;
  /// Counts so many bytes against HttpLimits::all_bodies until the answer is sent, instead of what
  /// was counted for the request; false where there is no room for them. By one thread at a time,
  /// before it sends.
  bool hold(size_t bytes) const;
  /// Makes the answer in a thread of the server; `bytes`: what goes into it, about.
  void send_made(size_t bytes, std::function<HttpResponse()> make) const;

 private:
  std::shared_ptr<Sink> sink_;
};

/// Both are called in the server's threads and must not block. An exception is a 500 of its
/// request.
struct HttpHandler {
  /// What is answered without a body; nothing: it is read. May be empty.
  std::function<std::optional<HttpResponse>(const HttpHead& head)> at_head{};
  std::function<void(HttpRequest request, const HttpReply& reply)> handle{};
};

/// Serves in threads of its own from listen() to its end: one for the sockets and small requests,
/// one that takes large bodies apart. refuse_access() says who may ask; it is decided before a body
/// is read.
class HttpServer {
 public:
  /// Errors: the address is not of this machine, or in use.
  static Result<std::unique_ptr<HttpServer>> listen(const HttpOptions& options,
                                                    HttpHandler handler);
  virtual ~HttpServer() = default;
  virtual uint16_t port() const = 0;
  virtual std::string url() const = 0;  ///< "http://127.0.0.1:8000"
  /// Connections that it holds at most: no more than the files that this process may still open
  /// when it begins to listen (RLIMIT_NOFILE, which is raised for them as far as it may be), less
  /// some for everything else.
  virtual size_t most_connections() const = 0;
  /// How often no connection could be accepted; it tries again after 100 ms.
  virtual size_t accept_errors() const = 0;
  /// One event (data without line breaks) to all that listen, and to those who will, behind the
  /// last ones before it.
  virtual void publish(const std::string& data) = 0;
  /// Refuses new requests from now on (503) and waits until all answers are sent, for at most so
  /// long. False: some were not. A handler must not call it: it waits for the thread of those.
  virtual bool drain(double seconds) = 0;
};

}  // namespace flyball
