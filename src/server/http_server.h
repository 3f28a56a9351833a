// HTTP/1.1 as a service sees it: whole requests in, answers out, a stream of events. Over
// Boost.Beast, which is seen in http_server.cc alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

/// Where to listen.
struct ListenAddress {
  std::string host = "127.0.0.1";  ///< an address of this machine
  uint16_t port = 8000;            ///< 0: any that is free
};
/// "8000", "127.0.0.1:8000", "[::1]:0", "localhost:80"; without a host: loopback.
Result<ListenAddress> parse_listen_address(const std::string& text);

/// What a client may make us hold or wait for.
struct HttpLimits {
  size_t header_bytes = 16 << 10;
  size_t body_bytes = 64 << 20;  ///< also of what a compressed one becomes
  size_t connections = 1024;     ///< further ones are closed at once; most_connections() at most
  size_t event_bytes = 1 << 20;  ///< events that one listener may be behind
  size_t kept_events = 600;      ///< told to who begins to listen, up to half of event_bytes
  double header_s = 10;          ///< from the first byte of a request to the end of its header
  double body_s = 60;            ///< of its body, and of the answer
  double idle_s = 75;            ///< between requests
};

struct HttpOptions {
  ListenAddress listen{};
  HttpLimits limits{};
  std::string token{};  ///< that requests must bear (but for health and the page); "": none
};

struct HttpRequest {
  std::string method;                   ///< "GET"
  std::string path;                     ///< decoded, without what stands behind "?"
  std::string body;                     ///< decompressed
  std::string inference_header_length;  ///< Inference-Header-Content-Length; "" without
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  bool events = false;  ///< the connection becomes a listener of publish()
};

/// The way back to the one who asked. Thread-safe; the first answer counts, and one that is dropped
/// without answering answers 500.
class HttpReply {
 public:
  class Sink;
  explicit HttpReply(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  void send(HttpResponse response) const;
  /// Makes the answer in the server's thread.
  void send_made(std::function<HttpResponse()> make) const;

 private:
  std::shared_ptr<Sink> sink_;
};

/// Called in the server's thread; must not block.
using HttpHandler = std::function<void(HttpRequest request, HttpReply reply)>;

/// Serves in a thread of its own from listen() to its end. Requests that come from a page of
/// another origin, or for another host's name on loopback, are refused (403): a browser may be made
/// to send them.
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
  /// Takes no more connections and no more requests, and waits until all answers are sent, for at
  /// most so long. False: some were not. A handler must not call it: it waits for the thread of
  /// those.
  virtual bool drain(double seconds) = 0;
};

}  // namespace flyball
