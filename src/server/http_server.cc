#include "server/http_server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#define BOOST_ASIO_DISABLE_CO_AWAIT  // Boost 1.74's does not compile as C++20 with GCC 12
#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK  // GCC's thread sanitizer knows no fences: -Werror=tsan
#endif
#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "server/http_text.h"

namespace flyball {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

constexpr double accept_pause_s = 0.1;
// For the rest of the program: data, sensors, accelerators.
constexpr size_t wanted_files = 1024, least_files = 64;

// So many connections as there may be files for. Shells begin programs with fewer files than they
// may have.
size_t affordable(size_t connections) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return connections;
  size_t taken = least_files;
  std::error_code unknown;
  for (std::filesystem::directory_iterator open("/proc/self/fd", unknown), end;
       !unknown && open != end; open.increment(unknown))
    ++taken;
  rlimit more = files;
  more.rlim_cur = std::min<rlim_t>(files.rlim_max, connections + wanted_files);
  if (more.rlim_cur > files.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) == 0) files = more;
  const size_t left = files.rlim_cur > taken ? files.rlim_cur - taken : 1;
  return std::min(connections, left);
}

class Session;

// What sessions share, and what keeps their sockets' context alive while an answer is still owed.
// Touched in the server's thread alone, but for what the mutex guards.
struct Shared {
  asio::io_context io{1};
  HttpOptions options{};
  HttpHandler handler{};
  bool loopback = true, draining = false;
  std::deque<std::shared_ptr<const std::string>> last_events{};
  std::atomic<bool> ended = false;
  std::mutex mutex{};
  std::condition_variable none_open{};
  std::set<Session*> sessions{};  // guarded
  size_t open_replies = 0;        // guarded

  void add(Session* session) {
    const std::lock_guard lock(mutex);
    sessions.insert(session);
  }
  void remove(Session* session) {
    const std::lock_guard lock(mutex);
    sessions.erase(session);
  }
  size_t connections() {
    const std::lock_guard lock(mutex);
    return sessions.size();
  }
  void open_reply() {
    const std::lock_guard lock(mutex);
    ++open_replies;
  }
  void close_reply() {
    const std::lock_guard lock(mutex);
    if (--open_replies == 0) none_open.notify_all();
  }
};

// One connection: request, answer, request, …
class Session final : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), stream_(std::move(socket)) {
    shared_->add(this);
  }
  ~Session() {
    shared_->remove(this);
    end_reply();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Shared& shared() { return *shared_; }

  void start() {
    if (buffer_.size() > 0) return read_header();
    stream_.expires_after(duration(shared_->options.limits.idle_s));
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = shared_from_this()](auto error, size_t n) {
                              if (error) return self->close();
                              self->buffer_.commit(n);
                              self->read_header();
                            });
  }

  void answer(HttpResponse response) {
    if (std::exchange(answered_, true)) return;
    if (response.events && !shared_->draining) return begin_events();
    response_ = {static_cast<http::status>(response.status), version_};
    response_.set(http::field::content_type, response.content_type);
    response_.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) response_.set(name, value);
    keep_ = keep_ && !shared_->draining;
    response_.keep_alive(keep_);
    response_.body() = std::move(response.body);
    response_.prepare_payload();
    if (head_only_) response_.body().clear();
    write();
  }

  void publish(const std::shared_ptr<const std::string>& event) {
    if (!listens_) return;
    behind_ += event->size();
    if (behind_ > shared_->options.limits.event_bytes) return close();
    events_.push_back(event);
    if (events_.size() == 1) write_event();
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
    listens_ = false;
  }
  /// Nobody waits for an answer on it.
  bool idle() const { return !replying_; }

 private:
  void read_header() {
    const HttpLimits& limits = shared_->options.limits;
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(limits.header_bytes));
    parser_->body_limit(limits.body_bytes);
    stream_.expires_after(duration(limits.header_s));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](auto error, size_t) {
                              if (error) return self->refuse(error);
                              self->begin_reply();
                              if (self->check_header()) self->read_body();
                            });
  }

  // Whom we talk to is decided before a body is read.
  bool check_header() {
    const auto& header = parser_->get();
    version_ = header.version();
    keep_ = header.keep_alive();
    head_only_ = header.method() == http::verb::head;
    const auto text = [&](http::field name) {
      const auto value = header[name];
      return std::string(value.data(), value.size());
    };
    std::optional<HttpResponse> refused;
    const HttpAsked asked{std::string(header.target().data(), header.target().size()),
                          text(http::field::host), text(http::field::origin),
                          text(http::field::authorization)};
    refused = refuse_asked(asked, shared_->options.token, shared_->loopback);
    if (refused) {
      keep_ = false;  // its body is not read
      answer(std::move(*refused));
      return false;
    }
    expects_ = beast::iequals(text(http::field::expect), "100-continue");
    return true;
  }

  void read_body() {
    stream_.expires_after(duration(shared_->options.limits.body_s));
    if (!expects_) return read_rest();
    go_on_ = {http::status::continue_, version_};
    http::async_write(stream_, go_on_, [self = shared_from_this()](auto error, size_t) {
      if (error) return self->close();
      self->read_rest();
    });
  }

  void read_rest() {
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](auto error, size_t) {
      if (error) return self->refuse(error);
      self->handle();
    });
  }

  void handle();

  // A request that is none, or too large. Whoever hangs up or is too slow gets nothing.
  void refuse(beast::error_code error) {
    const bool malformed =
        error.category() == http::make_error_code(http::error::bad_method).category();
    if (!malformed || error == http::error::end_of_stream || error == http::error::partial_message)
      return close();
    begin_reply();
    keep_ = false;
    const int status = error == http::error::body_limit     ? 413
                       : error == http::error::header_limit ? 431
                                                            : 400;
    answer(error_response(status, "this is no request that is understood: " + error.message()));
  }

  void begin_reply() {
    if (std::exchange(replying_, true)) return;
    answered_ = false;
    shared_->open_reply();
  }
  void end_reply() {
    if (std::exchange(replying_, false)) shared_->close_reply();
  }

  void write() {
    stream_.expires_after(duration(shared_->options.limits.body_s));
    http::async_write(stream_, response_, [self = shared_from_this()](auto error, size_t) {
      self->end_reply();
      if (error || !self->keep_ || self->shared_->draining) return self->close();
      self->start();
    });
  }

  void begin_events() {
    end_reply();
    listens_ = true;
    stream_.expires_never();
    await_hangup();
    publish(std::make_shared<const std::string>(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"));
    tell_last_events();
  }

  // As many of the last events as are not too much at once, in their order.
  void tell_last_events() {
    const auto& events = shared_->last_events;
    size_t bytes = 0, first = events.size();
    while (first > 0) {
      bytes += events[first - 1]->size();
      if (bytes > shared_->options.limits.event_bytes / 2) break;
      --first;
    }
    for (size_t i = first; i < events.size(); ++i) publish(events[i]);
  }

  // A listener says nothing more; waiting for it holds the session.
  void await_hangup() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(512), [self = shared_from_this()](auto error, size_t) {
      if (error) return self->close();
      self->await_hangup();
    });
  }

  void write_event() {
    asio::async_write(stream_, asio::buffer(*events_.front()),
                      [self = shared_from_this()](auto error, size_t) {
                        if (error || !self->listens_) return self->close();
                        self->behind_ -= self->events_.front()->size();
                        self->events_.pop_front();
                        if (!self->events_.empty()) self->write_event();
                      });
  }

  std::shared_ptr<Shared> shared_;  // before the stream, which needs its context to end
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  http::response<http::empty_body> go_on_;
  std::deque<std::shared_ptr<const std::string>> events_;
  size_t behind_ = 0;
  unsigned version_ = 11;
  bool keep_ = false, head_only_ = false, expects_ = false;
  bool replying_ = false, answered_ = false, listens_ = false;
};

}  // namespace

// The connection may be gone when the answer comes, and the server, too.
class HttpReply::Sink {
 public:
  explicit Sink(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    make([] { return error_response(500, "nobody answered"); });
  }

  void make(std::function<HttpResponse()> maker) {
    if (used_.exchange(true)) return;
    const std::shared_ptr<Session> session = std::move(session_);
    Shared& shared = session->shared();
    if (shared.ended) return;
    asio::post(shared.io, [session, maker = std::move(maker)] { session->answer(maker()); });
  }

 private:
  std::shared_ptr<Session> session_;
  std::atomic<bool> used_ = false;
};

void HttpReply::send(HttpResponse response) const {
  sink_->make([response = std::move(response)]() mutable { return std::move(response); });
}
void HttpReply::send_made(std::function<HttpResponse()> make) const {
  sink_->make(std::move(make));
}

namespace {

void Session::handle() {
  auto request = parser_->release();
  HttpRequest asked;
  const auto copy = [](const auto& text) { return std::string(text.data(), text.size()); };
  asked.method = copy(request.method_string());
  asked.path = path_of(copy(request.target()));
  asked.inference_header_length = copy(request["Inference-Header-Content-Length"]);
  auto body = decompressed(copy(request[http::field::content_encoding]), std::move(request.body()),
                           shared_->options.limits.body_bytes);
  stream_.expires_never();  // how long an answer takes is the handler's business
  const HttpReply reply(std::make_shared<HttpReply::Sink>(shared_from_this()));
  if (!body) return reply.send(error_response(400, body.error().message));
  asked.body = *std::move(body);
  shared_->handler(std::move(asked), reply);
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, HttpHandler handler)
      : shared_(std::make_shared<Shared>()),
        acceptor_(shared_->io),
        pause_(shared_->io),
        guard_(shared_->io.get_executor()) {
    shared_->options = options;
    shared_->options.limits.connections = affordable(options.limits.connections);
    shared_->handler = std::move(handler);
  }
  ~BeastServer() override {
    shared_->ended = true;
    asio::post(shared_->io, [this] {
      stop_accepting();
      close_sessions(false);
      guard_.reset();
    });
    if (thread_.joinable()) thread_.join();
    shared_->io.restart();
    shared_->io.poll();  // what was posted behind the last look
  }

  Status open() {
    const ListenAddress& at = shared_->options.listen;
    beast::error_code error;
    const auto address = asio::ip::make_address(at.host, error);
    const auto fail = [&](const std::string& doing) {
      return Error{Code::unavailable,
                   fmt::format("cannot {} {}:{}: {}", doing, at.host, at.port, error.message()),
                   "choose another --listen HOST:PORT; port 0 takes any that is free"};
    };
    if (error) return fail("listen on");
    shared_->loopback = address.is_loopback();
    const tcp::endpoint endpoint(address, at.port);
    acceptor_.open(endpoint.protocol(), error);
    if (error) return fail("listen on");
    acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    acceptor_.bind(endpoint, error);
    if (error) return fail("listen on");
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return fail("listen on");
    port_ = acceptor_.local_endpoint().port();
    url_ = fmt::format("http://{}:{}", address.is_v6() ? "[" + at.host + "]" : at.host, port_);
    accept();
    thread_ = std::thread([this] { shared_->io.run(); });
    return {};
  }

  uint16_t port() const override { return port_; }
  std::string url() const override { return url_; }
  size_t most_connections() const override { return shared_->options.limits.connections; }
  size_t accept_errors() const override { return accept_errors_; }

  void publish(const std::string& data) override {
    auto event = std::make_shared<const std::string>("data: " + data + "\n\n");
    asio::post(shared_->io, [this, event = std::move(event)] {
      shared_->last_events.push_back(event);
      if (shared_->last_events.size() > shared_->options.limits.kept_events)
        shared_->last_events.pop_front();
      for (const auto& session : held()) session->publish(event);
    });
  }

  bool drain(double seconds) override {
    std::promise<void> closed;  // before the wait: what comes in until then is owed its answer, too
    asio::post(shared_->io, [this, &closed] {
      shared_->draining = true;
      stop_accepting();
      close_sessions(true);
      closed.set_value();
    });
    closed.get_future().wait();
    std::unique_lock lock(shared_->mutex);
    return shared_->none_open.wait_for(lock, duration(seconds),
                                       [this] { return shared_->open_replies == 0; });
  }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
      if (error) return accept_later();
      if (shared_->connections() < shared_->options.limits.connections) {
        beast::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<Session>(std::move(socket), shared_)->start();
      }
      accept();
    });
  }
  // Without files to open, the next try fails like this one: whoever waits stays in the queue.
  void accept_later() {
    ++accept_errors_;
    pause_.expires_after(duration(accept_pause_s));
    pause_.async_wait([this](beast::error_code error) {
      if (!error && acceptor_.is_open()) accept();
    });
  }
  void stop_accepting() {
    beast::error_code ignored;
    pause_.cancel();
    acceptor_.close(ignored);
  }
  // Sessions end themselves while they are told: hold them.
  std::vector<std::shared_ptr<Session>> held() {
    std::vector<std::shared_ptr<Session>> all;
    const std::lock_guard lock(shared_->mutex);
    for (Session* session : shared_->sessions)
      if (auto one = session->weak_from_this().lock()) all.push_back(std::move(one));
    return all;
  }
  void close_sessions(bool idle_only) {
    for (const auto& session : held())
      if (!idle_only || session->idle()) session->close();
  }

  std::shared_ptr<Shared> shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::atomic<size_t> accept_errors_ = 0;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  std::thread thread_;
  uint16_t port_ = 0;
  std::string url_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpOptions& options,
                                                       HttpHandler handler) {
  auto server = std::make_unique<BeastServer>(options, std::move(handler));
  FLYBALL_CHECK(server->open());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace flyball
