#include "load/load_run.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "load/counted_load.h"
#include "load/http_exchange.h"
#include "load/open_loop.h"

namespace flyball {
namespace {

constexpr double reach_timeout_s = 10;
constexpr auto tick = std::chrono::milliseconds(100);

std::chrono::steady_clock::time_point steady(int64_t monotonic) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(monotonic));
}

OpenLoopOptions loop_options(const LoadOptions& options) {
  return {nanoseconds(options.warm_up_s + options.duration_s), options.connections,
          nanoseconds(options.timeout_s)};
}

class Loader {
 public:
  Loader(const LoadOptions& options, tcp::endpoint endpoint)
      : options_(options),
        endpoint_(std::move(endpoint)),
        loop_(make_arrivals(options.arrivals, options.seed), loop_options(options)),
        counted_(options.meter),
        due_timer_(io_),
        tick_timer_(io_) {}

  Result<LoadRun> run() {
    if (options_.meter) FLYBALL_CHECK(options_.meter->begin());
    begin_ns_ = monotonic_ns();
    watch();
    pump();
    io_.run();
    for (const auto& connection : connections_) {
      run_.reopened += connection->reopened();
      connection->close();
    }
    if (run_.stopped && run_.until_ns <= from_ns())
      return Error{Code::interrupted, "stopped before the load counted", ""};
    return take();
  }

 private:
  int64_t now() const { return monotonic_ns() - begin_ns_; }

  // Sends what is due, and comes again when more is.
  void pump() {
    loop_.expire(now());
    while (const auto request = loop_.take(now())) send(*request);
    if (loop_.finished()) {
      end();
      return;
    }
    const auto next = loop_.next_event();
    if (!next) return;  // answers are waited for
    due_timer_.expires_at(steady(begin_ns_ + *next));
    due_timer_.async_wait([this](boost::system::error_code cancelled) {
      if (!cancelled && !ended_) pump();
    });
  }

  LoadConnection* free_connection() {
    if (free_.empty()) {
      connections_.push_back(
          std::make_unique<LoadConnection>(io_, endpoint_, options_.target, options_.limits));
      return connections_.back().get();
    }
    LoadConnection* connection = free_.back();
    free_.pop_back();
    return connection;
  }

  void send(size_t request) {
    LoadConnection* connection = free_connection();
    const int64_t due_ns = begin_ns_ + loop_.records()[request].due_ns;
    connection->ask(options_.request, due_ns + nanoseconds(options_.timeout_s),
                    [this, request, connection](LoadAnswer answer) {
                      finish(request, connection, std::move(answer));
                    });
  }

  void finish(size_t request, LoadConnection* connection, LoadAnswer answer) {
    for (int64_t* time : {&answer.first_ns, &answer.last_ns})
      if (*time >= 0) *time -= begin_ns_;
    loop_.done(request, now(), answer);
    if (answer.outcome == LoadOutcome::answered)
      reach();
    else
      run_.examples.try_emplace(answer.outcome, std::move(answer.detail));
    free_.push_back(connection);
    if (!ended_) pump();
  }

  int64_t from_ns() const { return nanoseconds(options_.warm_up_s); }
  // Of the load, as far as one knows by now; answers may follow.
  int64_t until_ns() const {
    int64_t until_ns = loop_.ends_ns();
    if (const auto length = options_.arrivals.seconds())
      until_ns = std::min(until_ns, nanoseconds(*length));
    return std::max(from_ns(), until_ns);
  }
  void reach() {
    if (counted_.begun() && now() >= until_ns()) counted_.reach(now());
  }

  // Beside the load: when the warm-up ends, and the load, whether somebody wants it to stop.
  void watch() {
    if (!counted_.begun() && now() >= from_ns()) counted_.begin(now());
    if (!counted_.reached()) reach();
    if (is_interrupted(options_.interrupted)) {
      stop();
      return;
    }
    const double whole_s = options_.warm_up_s + options_.duration_s;
    if (options_.progress) options_.progress(static_cast<double>(now()) * 1e-9 / whole_s);
    int64_t next = now() + std::chrono::nanoseconds(tick).count();
    if (!counted_.begun())
      next = std::min(next, from_ns());
    else if (!counted_.reached())
      next = std::min(next, until_ns());
    tick_timer_.expires_at(steady(begin_ns_ + next));
    tick_timer_.async_wait([this](boost::system::error_code cancelled) {
      if (!cancelled && !ended_) watch();
    });
  }

  void stop() {
    run_.stopped = true;
    run_.until_ns = std::min(now(), until_ns());
    run_.left_out = loop_.stop();
    end();
  }

  void end() {
    ended_ = true;
    io_.stop();
  }

  LoadRun take() {
    counted_.end(now());
    run_.from_ns = from_ns();
    if (!run_.stopped) run_.until_ns = until_ns();
    run_.records = loop_.take_records();
    run_.most_under_way = loop_.most_under_way();
    run_.reached_limit = loop_.reached_limit();
    run_.client_cpu = counted_.client_cpu();
    run_.power = counted_.power();
    run_.power_gap = options_.meter ? counted_.power_gap() : options_.power_gap;
    return std::move(run_);
  }

  const LoadOptions& options_;
  tcp::endpoint endpoint_;
  OpenLoop loop_;
  CountedLoad counted_;
  asio::io_context io_;
  asio::steady_timer due_timer_, tick_timer_;
  std::vector<std::unique_ptr<LoadConnection>> connections_;
  std::vector<LoadConnection*> free_;
  LoadRun run_;
  int64_t begin_ns_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<LoadRun> run_load(const LoadOptions& options) {
  FLYBALL_ASSIGN(const tcp::endpoint endpoint, reach(options.target, reach_timeout_s));
  return Loader(options, endpoint).run();
}

}  // namespace flyball
