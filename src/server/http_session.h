// One connection: request, answer, request, …
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "server/http_shared.h"
#include "server/request_body.h"
#include "server/request_head.h"

namespace flyball {

/// Where HttpLimits::all_bodies has no room for one more.
HttpResponse too_many_answers();

/// Belongs to the thread of the sockets. Held by what it waits for, and by the reply that is owed.
class HttpSession final : public std::enable_shared_from_this<HttpSession> {
 public:
  using Clock = std::chrono::steady_clock;

  HttpSession(tcp::socket socket, std::shared_ptr<HttpShared> shared);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  HttpShared& shared() { return *shared_; }
  /// Waits for the first request.
  void start();
  /// 503 to whatever the client wants to ask.
  void turn_away(const std::string& why);
  void answer(HttpResponse response);
  void publish(const std::shared_ptr<const std::string>& event);
  /// Ends a stream of events, once those that are owed are sent.
  void end_listening();
  void close();
  /// By the one thread that handles its request, or makes its answer, at the time.
  bool hold(size_t bytes) { return lease_.hold(bytes); }
  /// A whole request waits for its answer, none of which is on its way yet.
  bool owes_answer() const { return replying_ && !answered_; }
  /// It has taken longer than it may.
  bool overdue(Clock::time_point now) const { return now > deadline_; }

 private:
  using Step = void (HttpSession::*)();
  void expire_after(double seconds);
  void expire_never() { deadline_ = Clock::time_point::max(); }
  void read_more(size_t bytes, Step next);
  void begin_waiting();
  void end_waiting();
  void begin_reply();
  void end_reply();

  void wait_for_request(double seconds);
  void on_head();
  void take_head(size_t size);
  std::optional<HttpResponse> answer_early();
  void read_body();
  void on_body();
  std::optional<RequestFault> keep(std::string_view piece);
  void handle();
  void refuse(const RequestFault& fault);

  void write(const HttpResponse& response);
  void on_written(bool failed);
  void linger();
  void on_linger();

  void begin_events();
  void tell_last_events();
  void on_listener_input();
  void write_event();

  std::shared_ptr<HttpShared> shared_;  // before the socket, which needs its context to end
  tcp::socket socket_;
  BodyLease lease_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::string in_;  // arrived and not yet read
  HeadEnd head_end_;
  RequestHead head_;
  std::vector<std::string> segments_;  ///< of the path
  std::string path_;
  std::optional<BodyReader> reader_;
  std::string body_, out_head_, out_body_;
  std::list<HttpSession*>::iterator place_;  // among those that wait
  std::deque<std::shared_ptr<const std::string>> events_;
  size_t behind_ = 0, lingered_ = 0;
  bool keep_ = false, head_only_ = false, head_begun_ = false;
  bool waits_ = false, replying_ = false, answered_ = false;
  bool listens_ = false, listening_ends_ = false, closed_ = false;
};

}  // namespace flyball
