#include "server/http_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>

#include "server/http_reply.h"
#include "server/http_text.h"

namespace flyball {
namespace {

constexpr size_t head_piece = 4096, body_piece = 16384;
constexpr size_t lingered_beyond_body = 1 << 20;
constexpr const char* too_much = "too many large requests at once";
constexpr const char* about_to_end = "this server is about to end";

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

HttpResponse fault_response(const RequestFault& fault) {
  if (fault.status == 503) return try_again(fault.message);
  HttpResponse response = error_response(fault.status, fault.message);
  if (fault.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

HttpResponse too_many_answers() {
  return try_again("too many large answers at once");
}

HttpSession::HttpSession(tcp::socket socket, std::shared_ptr<HttpShared> shared)
    : shared_(std::move(shared)), socket_(std::move(socket)), lease_(shared_->bodies) {
  shared_->sessions.insert(this);
}

HttpSession::~HttpSession() {
  close();
  end_reply();
}

void HttpSession::start() {
  wait_for_request(shared_->options.limits.header_s);
}

void HttpSession::turn_away(const std::string& why) {
  refuse({503, why});
}

void HttpSession::close() {
  if (std::exchange(closed_, true)) return;
  end_waiting();
  if (listens_) --shared_->listeners;
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
  shared_->sessions.erase(this);
}

void HttpSession::expire_after(double seconds) {
  deadline_ = Clock::now() + std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

void HttpSession::read_more(size_t bytes, Step next) {
  const size_t before = in_.size();
  in_.resize(before + bytes);
  socket_.async_read_some(asio::buffer(in_.data() + before, bytes),
                          [self = shared_from_this(), before, next](const auto& error, size_t n) {
                            self->in_.resize(before + (error ? 0 : n));
                            if (self->closed_) return;
                            if (error) return self->close();
                            (self.get()->*next)();
                          });
}

// Those that wait may have to make room for new connections.
void HttpSession::begin_waiting() {
  place_ = shared_->waiting.insert(shared_->waiting.end(), this);
  waits_ = true;
}
void HttpSession::end_waiting() {
  if (std::exchange(waits_, false)) shared_->waiting.erase(place_);
}

void HttpSession::begin_reply() {
  if (std::exchange(replying_, true)) return;
  answered_ = false;
  shared_->open_reply();
}
void HttpSession::end_reply() {
  if (std::exchange(replying_, false)) shared_->close_reply();
}

// ---- The request --------------------------------------------------------------------------------

void HttpSession::wait_for_request(double seconds) {
  head_end_ = {};
  head_begun_ = head_only_ = false;
  begin_waiting();
  expire_after(seconds);
  if (in_.empty()) return read_more(head_piece, &HttpSession::on_head);
  on_head();
}

void HttpSession::on_head() {
  const HttpLimits& limits = shared_->options.limits;
  if (!std::exchange(head_begun_, true)) expire_after(limits.header_s);
  const auto found = head_end_.find(in_, limits.header_bytes);
  if (const auto* fault = std::get_if<RequestFault>(&found)) return refuse(*fault);
  const size_t size = std::get<size_t>(found);
  if (size == 0) return read_more(head_piece, &HttpSession::on_head);
  take_head(size);
}

void HttpSession::take_head(size_t size) {
  auto parsed = parse_head(std::string_view(in_).substr(0, size));
  in_.erase(0, size);
  if (const auto* fault = std::get_if<RequestFault>(&parsed)) return refuse(*fault);
  head_ = std::get<RequestHead>(std::move(parsed));
  segments_ = segments_of(head_.target);
  path_ = path_of(segments_);
  keep_ = head_.keep_alive;
  head_only_ = head_.method == "HEAD";
  end_waiting();
  if (shared_->draining) return refuse({503, about_to_end});
  if (auto fault = refuse_access(head_, path_, shared_->options.token, shared_->loopback))
    return refuse(*fault);
  if (auto early = answer_early()) {
    if (head_.framing != BodyFraming::none) keep_ = false;  // its body is not read
    begin_reply();
    return answer(*std::move(early));
  }
  read_body();
}

std::optional<HttpResponse> HttpSession::answer_early() {
  if (!shared_->handler.at_head) return {};
  try {
    return shared_->handler.at_head({head_.method, path_, segments_});
  } catch (const std::exception& exception) {
    return error_response(500, exception.what());
  }
}

void HttpSession::read_body() {
  const HttpLimits& limits = shared_->options.limits;
  reader_.emplace(head_, BodyLimits{limits.body_bytes, limits.header_bytes});
  if (reader_->fault()) return refuse(*reader_->fault());
  if (head_.length > shared_->bodies.left() + BodyLease::own_bytes) return refuse({503, too_much});
  expire_after(limits.body_s);
  if (!head_.expects_continue || !in_.empty()) return on_body();
  out_head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(out_head_),
                    [self = shared_from_this()](const auto& error, size_t) {
                      if (error || self->closed_) return self->close();
                      self->on_body();
                    });
}

void HttpSession::on_body() {
  const size_t taken = reader_->read(in_, [this](std::string_view piece) { return keep(piece); });
  in_.erase(0, taken);
  if (reader_->fault()) return refuse(*reader_->fault());
  if (reader_->done()) return handle();
  read_more(body_piece, &HttpSession::on_body);
}

std::optional<RequestFault> HttpSession::keep(std::string_view piece) {
  const size_t needed = body_.size() + piece.size();
  if (needed > body_.capacity()) {
    size_t grown = std::max(needed, 2 * body_.capacity());
    if (head_.framing == BodyFraming::length) grown = std::min<size_t>(grown, head_.length);
    if (!lease_.hold(grown)) return RequestFault{503, too_much};
    body_.reserve(grown);
  }
  body_.append(piece);
  return {};
}

// An answer is owed from here on, to whoever has said all. Small bodies are handled at once, others
// and compressed ones in the thread for them.
void HttpSession::handle() {
  if (shared_->draining) return refuse({503, about_to_end});
  begin_reply();
  HttpRequest request{head_.method, path_, std::exchange(body_, {}), head_.inference_header_length,
                      segments_};
  expire_never();  // how long an answer takes is the handler's business
  const bool small = request.body.size() <= BodyLease::own_bytes && head_.content_encoding.empty();
  const HttpReply reply(std::make_shared<HttpReply::Sink>(shared_from_this()));
  if (small) return handle_request(*shared_, std::move(request), reply);
  const size_t bytes = request.body.size();
  shared_->worker.add(bytes, [self = shared_from_this(), request = std::move(request),
                              encoding = head_.content_encoding, reply]() mutable {
    try {
      auto plain = decompressed(encoding, std::exchange(request.body, {}),
                                self->shared_->options.limits.body_bytes,
                                [&self](size_t held) { return self->hold(held); });
      if (!plain.ok()) {
        const bool full = plain.error().code == Code::unavailable;
        return reply.send(fault_response({full ? 503 : 400, plain.error().message}));
      }
      request.body = *std::move(plain);
    } catch (const std::exception& exception) {  // no memory for it
      return reply.send(error_response(500, exception.what()));
    }
    handle_request(*self->shared_, std::move(request), reply);
  });
}

// A malformed request, or one that may not be: the rest of it is not read.
void HttpSession::refuse(const RequestFault& fault) {
  end_waiting();
  begin_reply();
  body_ = {};
  keep_ = false;
  answer(fault_response(fault));
}

// ---- The answer ---------------------------------------------------------------------------------

void HttpSession::answer(HttpResponse response) {
  if (std::exchange(answered_, true)) return;
  if (closed_) return end_reply();
  if (response.events && !head_only_) {
    if (shared_->draining) {
      response = try_again(about_to_end);
    } else if (shared_->listeners >= shared_->options.limits.listeners) {
      response = try_again("there are too many listeners");
    } else {
      return begin_events();
    }
  }
  if (!lease_.hold(response.body.size())) response = too_many_answers();
  keep_ = keep_ && !shared_->draining && !response.events;
  out_head_ = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nX-Content-Type-Options: nosniff\r\n", response.status,
      reason(response.status), response.events ? "text/event-stream" : response.content_type);
  for (const auto& [name, value] : response.headers)
    fmt::format_to(std::back_inserter(out_head_), "{}: {}\r\n", name, value);
  if (!response.events)
    fmt::format_to(std::back_inserter(out_head_), "Content-Length: {}\r\n",
                   response.body.size() + response.file.size());
  out_head_ += keep_ ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  out_body_ = head_only_ ? std::string() : std::move(response.body);
  expire_after(shared_->options.limits.body_s);
  const std::string_view file = head_only_ ? std::string_view() : response.file;
  const std::array<asio::const_buffer, 3> parts = {asio::buffer(out_head_), asio::buffer(out_body_),
                                                   asio::buffer(file)};
  asio::async_write(socket_, parts, [self = shared_from_this()](const auto& error, size_t) {
    self->on_written(static_cast<bool>(error));
  });
}

void HttpSession::on_written(bool failed) {
  out_body_ = {};
  lease_.hold(0);
  end_reply();
  if (closed_) return;
  if (failed) return close();
  if (!keep_) return linger();
  wait_for_request(shared_->options.limits.idle_s);
}

// A connection that is closed with bytes unread is reset, and its client may lose the answer: what
// it still sends is read and dropped until it hangs up.
void HttpSession::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  begin_waiting();
  expire_after(shared_->options.limits.linger_s);
  on_linger();
}

void HttpSession::on_linger() {
  lingered_ += in_.size();
  in_.clear();
  if (lingered_ > shared_->options.limits.body_bytes + lingered_beyond_body) return close();
  read_more(body_piece, &HttpSession::on_linger);
}

// ---- A stream of events -------------------------------------------------------------------------

void HttpSession::begin_events() {
  end_reply();
  listens_ = true;
  ++shared_->listeners;
  // So that one which does not read is noticed before megabytes wait for it in the kernel.
  boost::system::error_code ignored;
  socket_.set_option(asio::socket_base::send_buffer_size(32 << 10), ignored);
  expire_never();
  in_.clear();
  read_more(head_piece, &HttpSession::on_listener_input);
  publish(std::make_shared<const std::string>(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"));
  tell_last_events();
}

// As many of the last events as are not too much at once, in their order.
void HttpSession::tell_last_events() {
  const auto& events = shared_->last_events;
  size_t bytes = 0, first = events.size();
  while (first > 0) {
    bytes += events[first - 1]->size();
    if (bytes > shared_->options.limits.event_bytes / 2) break;
    --first;
  }
  for (size_t i = first; i < events.size(); ++i) publish(events[i]);
}

// A listener says nothing more; waiting for it to hang up holds the session.
void HttpSession::on_listener_input() {
  in_.clear();
  read_more(head_piece, &HttpSession::on_listener_input);
}

void HttpSession::publish(const std::shared_ptr<const std::string>& event) {
  if (!listens_ || closed_ || listening_ends_) return;
  behind_ += event->size();
  if (behind_ > shared_->options.limits.event_bytes) return close();
  events_.push_back(event);
  if (events_.size() == 1) write_event();
}

void HttpSession::write_event() {
  expire_after(shared_->options.limits.listener_s);
  asio::async_write(socket_, asio::buffer(*events_.front()),
                    [self = shared_from_this()](const auto& error, size_t) {
                      if (self->closed_) return;
                      if (error) return self->close();
                      self->behind_ -= self->events_.front()->size();
                      self->events_.pop_front();
                      if (!self->events_.empty()) return self->write_event();
                      self->expire_never();
                      if (std::exchange(self->listening_ends_, false)) self->end_listening();
                    });
}

void HttpSession::end_listening() {
  if (!listens_ || closed_) return;
  if (std::exchange(listening_ends_, true) || !events_.empty()) return;
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  expire_after(shared_->options.limits.linger_s);
}

}  // namespace flyball
