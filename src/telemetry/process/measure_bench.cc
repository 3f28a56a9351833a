// Cost of the `flyball measure` wrapper: its CPU share at 10 ms, what it adds to the start of a
// command and to a busy one, beside GNU time, which reads no sensor and looks only at the end.
// Peer: GNU time | test -x /usr/bin/time
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/statistics.h"
#include "telemetry/process/measure.h"
#include "telemetry/sensors/power_sensors.h"

extern char** environ;

namespace flyball {
namespace {

using Command = std::vector<std::string>;

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "measure_bench: {}\n", message);
  std::exit(2);
}

double bare_s(const Command& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const Stopwatch watch;
  pid_t child = 0;
  int status = 0;
  if (::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0 ||
      ::waitpid(child, &status, 0) < 0)
    give_up("cannot start " + command[0]);
  return watch.seconds();
}

MeasureResult measured(const Command& command) {
  auto result = measure_command(command, {.sensors = open_power_sensors(), .context = {}});
  if (!result.ok()) give_up(result.error().message);
  if (result->not_started) give_up(result->not_started->message);
  return *std::move(result);
}

double wrapped_s(const Command& command) {
  const Stopwatch watch;
  measured(command);
  return watch.seconds();
}

double gnu_time_s(Command command) {
  command.insert(command.begin(), {"/usr/bin/time", "-o", "/dev/null"});
  return bare_s(command);
}

/// Medians of runs in turn, so that all meet the same machine.
struct Times {
  double bare = 0, ours = 0, peer = 0;
};
Times compare(const Command& command, int rounds, bool with_peer) {
  std::vector<double> bare, ours, peer;
  for (int round = 0; round < rounds; ++round) {
    bare.push_back(bare_s(command));
    ours.push_back(wrapped_s(command));
    if (with_peer) peer.push_back(gnu_time_s(command));
  }
  return {median(bare), median(ours), with_peer ? median(peer) : 0};
}

Json figures() {
  const bool peer = ::access("/usr/bin/time", X_OK) == 0;
  const MeasureResult idle = measured({"sleep", "1"});
  const Times start = compare({"true"}, 40, peer);
  const Times busy =
      compare({"sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"}, 9, peer);
  Json json{{"own_cpu_pct_10ms", idle.own_cpu_percent},
            {"power_sensors", idle.sensors.size()},
            {"memory_samples_per_s", static_cast<double>(idle.samples)},
            {"start_extra_ms", 1e3 * (start.ours - start.bare)},
            {"busy_extra_pct", 100 * (busy.ours / busy.bare - 1)}};
  const auto or_null = [&](double value) { return peer ? Json(value) : Json(nullptr); };
  json["peer_start_extra_ms"] = or_null(1e3 * (start.peer - start.bare));
  json["peer_busy_extra_pct"] = or_null(100 * (busy.peer / busy.bare - 1));
  return json;
}

}  // namespace
}  // namespace flyball

int main() {
  const auto figures = flyball::figures();
  fmt::print("{}\n", flyball::Json{{"benchmark", "measure"}, {"figures", figures}}.dump());
}
