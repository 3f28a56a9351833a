// The way from a handler back to its connection, which may be gone when the answer comes; so may
// the server.
#pragma once

#include <atomic>
#include <memory>

#include "server/http_session.h"

namespace flyball {

class HttpReply::Sink {
 public:
  explicit Sink(std::shared_ptr<HttpSession> session) : session_(std::move(session)) {}
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  bool hold(size_t bytes) { return session_ && session_->hold(bytes); }
  /// The first time; what costs time is made in the thread for large bodies.
  void make(size_t bytes, std::function<HttpResponse()> maker);

 private:
  std::shared_ptr<HttpSession> session_;
  std::atomic<bool> used_ = false;
};

/// Asks the handler; an exception is a 500.
void handle_request(HttpShared& shared, HttpRequest request, const HttpReply& reply);

}  // namespace flyball
