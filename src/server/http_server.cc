#include "server/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "server/http_session.h"
#include "server/open_files.h"

namespace flyball {
namespace {

using boost::system::error_code;

constexpr std::chrono::milliseconds accept_pause{100}, sweep_period{100};
// At its end: for requests that are on their way to be told so.
constexpr std::chrono::milliseconds grace_step{10};
constexpr int grace_steps = 20;
constexpr size_t refusing_connections = 16;  // beyond the others, to be told 503

class AsioServer final : public HttpServer {
 public:
  AsioServer(const HttpOptions& options, HttpHandler handler)
      : shared_(std::make_shared<HttpShared>(options, std::move(handler))),
        acceptor_(shared_->io),
        pause_(shared_->io),
        sweep_(shared_->io),
        grace_(shared_->io),
        guard_(shared_->io.get_executor()) {
    HttpLimits& limits = shared_->options.limits;
    const size_t files = affordable_connections(limits.connections + refusing_connections);
    limits.connections =
        std::min(limits.connections,
                 std::max<size_t>(files, 1 + refusing_connections) - refusing_connections);
    limits.listeners = std::min(limits.listeners, limits.connections / 2);  // and room for requests
    limits.body_bytes = std::min(limits.body_bytes, limits.all_bodies + BodyLease::own_bytes);
  }
  ~AsioServer() override {
    if (thread_.joinable()) {
      shared_->post([this] { begin_end(); });
      thread_.join();
    }
    shared_->worker.stop();
  }

  Status open() {
    if (shared_->options.listening >= 0) FLYBALL_CHECK(take_over(shared_->options.listening));
    const ListenAddress& at = shared_->options.listen;
    error_code error;
    const auto address = asio::ip::make_address(at.host, error);
    const auto fail = [&](const std::string& doing) {
      return Error{Code::unavailable,
                   fmt::format("cannot {} {}:{}: {}", doing, at.host, at.port, error.message()),
                   "choose another --listen HOST:PORT; port 0 takes any that is free"};
    };
    if (error) return fail("listen on");
    shared_->loopback = at.loopback();
    const tcp::endpoint endpoint(address, at.port);
    if (!acceptor_.is_open()) {
      acceptor_.open(endpoint.protocol(), error);
      if (error) return fail("listen on");
      acceptor_.set_option(asio::socket_base::reuse_address(true), error);
      acceptor_.bind(endpoint, error);
      if (error) return fail("listen on");
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
      if (error) return fail("listen on");
    }
    port_ = acceptor_.local_endpoint().port();
    url_ = fmt::format("http://{}:{}", address.is_v6() ? "[" + at.host + "]" : at.host, port_);
    accept();
    thread_ = std::thread([this] { run(); });
    return {};
  }

  uint16_t port() const override { return port_; }
  std::string url() const override { return url_; }
  size_t most_connections() const override { return shared_->options.limits.connections; }
  size_t accept_errors() const override { return accept_errors_; }

  void publish(const std::string& data) override {
    auto event = std::make_shared<const std::string>("data: " + data + "\n\n");
    shared_->post([this, event = std::move(event)] {
      shared_->last_events.push_back(event);
      if (shared_->last_events.size() > shared_->options.limits.kept_events)
        shared_->last_events.pop_front();
      for (const auto& session : held()) session->publish(event);
    });
  }

  bool drain(double seconds) override {
    std::promise<void> begun;  // before the wait: what comes in until then is owed its answer, too
    shared_->post([this, &begun] {
      begin_drain();
      begun.set_value();
    });
    begun.get_future().wait();
    std::unique_lock lock(shared_->mutex);
    return shared_->none_open.wait_for(lock, std::chrono::duration<double>(seconds),
                                       [this] { return shared_->open_replies == 0; });
  }

 private:
  // An exception ends what threw it (its connection closes with it), and nothing else.
  void run() {
    while (true) {
      try {
        shared_->io.run();
        return;
      } catch (const std::exception&) {
      }
    }
  }

  // Its address is what it is bound to, and decides who may ask.
  Status take_over(int socket) {
    FLYBALL_ASSIGN(shared_->options.listen, address_of_socket(socket));
    const bool v6 = shared_->options.listen.host.find(':') != std::string::npos;
    error_code error;
    acceptor_.assign(v6 ? tcp::v6() : tcp::v4(), socket, error);
    if (!error) return {};
    return Error{Code::unavailable, "the socket that was handed over: " + error.message(), ""};
  }

  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return acceptor_.is_open() ? accept_later() : void();
      try {
        admit(std::move(socket));
      } catch (const std::exception&) {  // no memory for it
      }
      if (acceptor_.is_open()) accept();  // else this one came just before the end
    });
  }
  // Without files to open, the next try fails like this one: clients stay in the kernel's queue.
  void accept_later() {
    ++accept_errors_;
    pause_.expires_after(accept_pause);
    pause_.async_wait([this](error_code error) {
      if (!error && acceptor_.is_open()) accept();
    });
  }
  void admit(tcp::socket socket) {
    const size_t most = shared_->options.limits.connections;
    while (shared_->sessions.size() >= most && !shared_->waiting.empty())
      shared_->waiting.front()->close();
    if (shared_->sessions.size() >= most + refusing_connections) return;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const bool full = shared_->sessions.size() >= most;
    const auto session = std::make_shared<HttpSession>(std::move(socket), shared_);
    if (full)
      session->turn_away("there are too many connections");
    else
      session->start();
    if (!sweeping_) sweep();
  }

  // Sessions close while they are told something: hold them.
  std::vector<std::shared_ptr<HttpSession>> held() const {
    std::vector<std::shared_ptr<HttpSession>> all;
    for (HttpSession* session : shared_->sessions)
      if (auto one = session->weak_from_this().lock()) all.push_back(std::move(one));
    return all;
  }
  // Closes what has taken too long, now and then, while there are connections.
  void sweep() {
    sweeping_ = true;
    sweep_.expires_after(sweep_period);
    sweep_.async_wait([this](error_code error) {
      sweeping_ = false;
      if (error) return;
      const auto now = HttpSession::Clock::now();
      for (const auto& session : held())
        if (session->overdue(now)) session->close();
      if (!shared_->sessions.empty()) sweep();
    });
  }

  void begin_drain() {
    shared_->draining = true;
    for (const auto& session : held()) session->end_listening();
  }

  // Takes in whoever waits to be accepted, so that nobody's request is reset, and gives all of them
  // a moment to be told.
  void begin_end() {
    begin_drain();
    for (const auto& session : held())
      if (session->owes_answer()) session->close();
    error_code error;
    acceptor_.non_blocking(true, error);
    while (!error) {
      tcp::socket socket(shared_->io);
      acceptor_.accept(socket, error);
      if (!error) admit(std::move(socket));
    }
    acceptor_.close(error);
    pause_.cancel();
    await_end(grace_steps);
  }
  void await_end(int steps) {
    if (shared_->sessions.empty() || steps == 0) return end();
    grace_.expires_after(grace_step);
    grace_.async_wait([this, steps](error_code) { await_end(steps - 1); });
  }
  void end() {
    for (const auto& session : held()) session->close();
    sweep_.cancel();
    guard_.reset();
    const std::lock_guard lock(shared_->mutex);
    shared_->ended = true;
  }

  std::shared_ptr<HttpShared> shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_, sweep_, grace_;
  bool sweeping_ = false;
  std::atomic<size_t> accept_errors_ = 0;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  std::thread thread_;
  uint16_t port_ = 0;
  std::string url_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpOptions& options,
                                                       HttpHandler handler) {
  auto server = std::make_unique<AsioServer>(options, std::move(handler));
  FLYBALL_CHECK(server->open());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace flyball
