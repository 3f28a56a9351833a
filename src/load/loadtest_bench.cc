// Does loadtest find the waiting times of a queue with one server (M/D/1)? A server of fixed
// service time is asked at Poisson times; the mean wait is to be ρD/(2(1−ρ)) within its interval.
// usage: loadtest_bench [SECONDS for each load]
#include <fmt/format.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/json.h"
#include "load/load_run.h"
#include "load/load_summary.h"
#include "load/prepare.h"
#include "server/http_server.h"

namespace flyball {
namespace {

constexpr double service_s = 0.010;

// Answers one request after the other, each after the service time.
class OneServer {
 public:
  OneServer() : thread_([this] { serve(); }) {
    HttpHandler handler;
    handler.handle = [this](HttpRequest, const HttpReply& reply) {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(reply);
      changed_.notify_one();
    };
    HttpOptions options;
    options.listen = {"127.0.0.1", 0};
    if (auto listening = HttpServer::listen(options, handler)) server_ = *std::move(listening);
  }
  ~OneServer() {
    server_.reset();
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  OneServer(const OneServer&) = delete;
  OneServer& operator=(const OneServer&) = delete;
  std::string url() const { return server_ ? server_->url() : ""; }

 private:
  void serve() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const HttpReply reply = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      const int64_t end_ns = monotonic_ns() + nanoseconds(service_s);
      sleep_until_ns(end_ns - 200'000);
      while (monotonic_ns() < end_ns) {
      }
      reply.send({});
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<HttpReply> waiting_;
  bool stop_ = false;
  std::thread thread_;
  std::unique_ptr<HttpServer> server_;
};

Result<LoadSummary> load(const OneServer& server, const std::string& arrivals, double seconds) {
  LoadOptions options;
  FLYBALL_ASSIGN(options.target, parse_target(server.url() + "/", "http"));
  FLYBALL_ASSIGN(options.request, prepare_load(options.target, {}, 10));
  FLYBALL_ASSIGN(options.arrivals, parse_arrivals(arrivals));
  options.duration_s = seconds;
  options.warm_up_s = 1;
  FLYBALL_ASSIGN(const LoadRun run, run_load(options));
  return summarise(run, {}, options.connections);
}

Result<Json> measure(double seconds) {
  const OneServer server;
  FLYBALL_ASSIGN(const LoadSummary alone, load(server, "constant:10", 5));
  const double base_ms = alone.latency_ms.mean.value;
  Json figures{{"service_ms", service_s * 1e3}, {"alone_ms", base_ms}};
  for (const double share : {0.3, 0.6, 0.8}) {
    const double rate = share / service_s;
    FLYBALL_ASSIGN(const LoadSummary loaded,
                   load(server, fmt::format("poisson:{:.6g}", rate), seconds));
    const QuantileInterval& mean = loaded.latency_ms.mean;
    // As many requests as there were: chance gives more or fewer than the rate.
    const double busy = static_cast<double>(loaded.due) / seconds * service_s;
    const std::string name = fmt::format("load_{:.0f}_pct_", 100 * share);
    figures[name + "expected_wait_ms"] = busy * service_s * 1e3 / (2 * (1 - busy));
    figures[name + "wait_ms"] = mean.value - base_ms;
    figures[name + "wait_low_ms"] = mean.low - base_ms;
    figures[name + "wait_high_ms"] = mean.high - base_ms;
    figures[name + "requests"] = loaded.due;
    figures[name + "failed"] = loaded.due - loaded.answered;
    figures[name + "sent_late_p99_ms"] = loaded.sent_late_ms.p99.value;
    figures[name + "client_cpu_pct"] = 100 * loaded.client_cpu;
  }
  return figures;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const auto figures = flyball::measure(argc > 1 ? std::atof(argv[1]) : 60);
  if (!figures.ok()) {
    fmt::print(stderr, "{}\n", figures.error().message);
    return 2;
  }
  fmt::print("{}\n", flyball::Json{{"benchmark", "loadtest"}, {"figures", *figures}}.dump());
  return 0;
}
