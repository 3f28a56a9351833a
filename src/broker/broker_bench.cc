// What a turn costs, and what turns are worth: grants by the clock of a C client over the socket,
// and two trainings beside a service on one core, under a broker against left alone, in blocks that
// take turns. A step is processor time on the core that all of them share, as kernels are on a GPU
// that processes share by time slices; it cannot show what caches of a GPU do. Goal: 20 µs for a
// grant in the median, uncontended. usage: broker_bench [--grants N] [--seconds N] [--blocks N]
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/statistics.h"
#include "broker/broker_testing.h"

namespace {

using namespace flyball;
namespace fs = std::filesystem;

constexpr double budget_s = 0.08;

/// Steps of two trainings and of a service, in ms of processor time.
struct Load {
  const char* name;
  double one_ms, two_ms, service_ms, every_ms;
};
constexpr Load loads[] = {{"long_answers", 10, 5, 20, 100}, {"short_answers", 20, 10, 5, 50}};

fs::path socket_path() {
  return fs::temp_directory_path() / fmt::format("flyball-bench-{}", ::getpid()) / "broker.sock";
}

RunningBroker& started(std::optional<RunningBroker>& broker) {
  auto sockets = TurnSockets::listen(socket_path(), {});
  if (!sockets) {
    fmt::print(stderr, "broker_bench: {}\n", sockets.error().message);
    std::exit(2);
  }
  broker.emplace(BrokerOptions{}, *std::move(sockets));
  broker->start();
  return *broker;
}

void spin_us(double us) {
  const Stopwatch watch;
  while (watch.seconds() * 1e6 < us) continue;
}

// Of a client that computes for 100 µs in its turn, and for 50 µs between.
void measure_grants(size_t grants, Json& figures) {
  std::optional<RunningBroker> broker;
  RunningBroker& running = started(broker);
  const std::string path = socket_path();
  flyball_turns turns = flyball_turns_init();
  turns.socket = path.c_str();
  std::vector<double> grant_us, end_us;
  for (size_t i = 0; i < grants; ++i) {
    spin_us(50);
    Stopwatch watch;
    if (flyball_turn_begin(&turns) != 1) std::exit(2);
    grant_us.push_back(watch.seconds() * 1e6);
    spin_us(100);
    watch.restart();
    flyball_turn_end(&turns);
    end_us.push_back(watch.seconds() * 1e6);
  }
  flyball_turns_close(&turns);
  const BrokerResult result = running.stop();
  figures["grant_p50_us"] = quantile(grant_us, 0.5);
  figures["grant_p99_us"] = quantile(grant_us, 0.99);
  figures["end_p50_us"] = quantile(end_us, 0.5);
  figures["broker_side_p50_us"] = 1e3 * result.grants.quantile_ms(0.5);
}

struct Figures {
  double steps = 0, p50_ms = 0, p99_ms = 0;
};

/// turned_c on core 0, its output behind a pipe.
struct Started {
  FILE* output = nullptr;

  Started(const std::string& environment, const std::string& words) {
    const std::string line =
        fmt::format("{} taskset -c 0 {}/turned_c {}", environment, FLYBALL_BIN_DIR, words);
    output = ::popen(line.c_str(), "r");
  }
  Figures finish() {
    Figures figures;
    if (!output ||
        std::fscanf(output, "%lf %lf %lf", &figures.steps, &figures.p50_ms, &figures.p99_ms) != 3)
      std::exit(2);
    ::pclose(output);
    return figures;
  }
};

struct Block {
  std::vector<double> p50_ms, p99_ms, training_pct;
};

void run_block(const Load& load, bool under_broker, double seconds, Block& block) {
  std::optional<RunningBroker> broker;
  if (under_broker) started(broker);
  const std::string at =
      under_broker ? fmt::format("FLYBALL_BROKER={} ", socket_path().string()) : std::string();
  Started one(at + "FLYBALL_TURN_NAME=one", fmt::format("{} {}", seconds, load.one_ms));
  Started two(at + "FLYBALL_TURN_NAME=two", fmt::format("{} {}", seconds, load.two_ms));
  Started net(at + fmt::format("FLYBALL_TURN_NAME=net FLYBALL_TURN_LATENCY={}s", budget_s),
              fmt::format("{} {} {}", seconds, load.service_ms, load.every_ms));
  const Figures service = net.finish();
  block.p50_ms.push_back(service.p50_ms);
  block.p99_ms.push_back(service.p99_ms);
  const double trained_ms = one.finish().steps * load.one_ms + two.finish().steps * load.two_ms;
  block.training_pct.push_back(trained_ms / (10 * seconds));
}

double number_after(int argc, char** argv, std::string_view name, double otherwise) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (argv[i] == name) return std::atof(argv[i + 1]);
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  ::unsetenv("FLYBALL_BROKER");
  const auto grants = static_cast<size_t>(number_after(argc, argv, "--grants", 20000));
  const double seconds = number_after(argc, argv, "--seconds", 10);
  const auto blocks = static_cast<int>(number_after(argc, argv, "--blocks", 3));
  Json figures;
  measure_grants(grants, figures);
  for (const Load& load : loads) {
    Block blocks_of[2];
    for (int i = 0; i < 2 * blocks; ++i) run_block(load, i % 2 == 1, seconds, blocks_of[i % 2]);
    for (const int broker : {0, 1}) {
      const Block& block = blocks_of[broker];
      const std::string name = fmt::format("{}_{}", load.name, broker ? "broker" : "free");
      figures[name + "_p50_ms"] = median(block.p50_ms);
      figures[name + "_p99_ms"] = median(block.p99_ms);
      figures[name + "_training_pct_of_core"] = median(block.training_pct);
    }
  }
  fs::remove_all(socket_path().parent_path());
  fmt::print("{}\n", Json{{"benchmark", "broker"}, {"figures", figures}}.dump());
  return 0;
}
