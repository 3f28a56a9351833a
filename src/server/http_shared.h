// What the connections of one server share, and what keeps their sockets' context alive while an
// answer is still owed.
#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <set>

#include "server/asio.h"
#include "server/body_budget.h"
#include "server/body_worker.h"
#include "server/http_server.h"

namespace flyball {

class HttpSession;

struct HttpShared {
  HttpShared(const HttpOptions& asked, HttpHandler handles)
      : options(asked), handler(std::move(handles)), bodies(asked.limits.all_bodies) {}

  asio::io_context io{1};
  HttpOptions options;
  HttpHandler handler;
  BodyBudget bodies;
  BodyWorker worker{};

  // The next ones belong to the thread that runs `io`.
  bool loopback = true, draining = false;
  std::set<HttpSession*> sessions{};  // that are open
  std::list<HttpSession*> waiting{};  // for a request or for the client to hang up, longest first
  size_t listeners = 0;
  std::deque<std::shared_ptr<const std::string>> last_events{};

  /// Runs it in the thread of `io`; once that has ended it is dropped. Thread-safe.
  template <class Work>
  void post(Work work) {
    const std::lock_guard lock(mutex);
    if (!ended) asio::post(io, std::move(work));
  }
  void open_reply() {
    const std::lock_guard lock(mutex);
    ++open_replies;
  }
  void close_reply() {
    const std::lock_guard lock(mutex);
    if (--open_replies == 0) none_open.notify_all();
  }

  std::mutex mutex{};
  std::condition_variable none_open{};
  size_t open_replies = 0;  // guarded
  bool ended = false;       // guarded: every session is closed
};

}  // namespace flyball
