// How late, how costly and how exact the sampler is, beside the loop that one would write without
// it: sleep a period, read, sum up rectangles. The rail is synthetic, so its energy is known: a
// sine and a square wave, as a training step draws power. Lateness is that of a 1 kHz sensor read
// from a file, on this machine as it is and with every core kept busy. Energy errors are the 99th
// percentile of many windows. One line of JSON on stdout; an argument is the seconds of each part.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/simple_sensors.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball {
namespace {

constexpr double period_s = 0.001;
constexpr double sine_hz = 3, square_hz = 7;
constexpr double base_w = 27, sine_w = 8, square_w = 7.5;

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "sampler_bench: {}\n", message);
  std::exit(2);
}

double seconds_of(int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

double rail_w(int64_t now_ns) {
  const double t = seconds_of(now_ns);
  const double phase = t * square_hz - std::floor(t * square_hz);
  return base_w + sine_w * std::sin(2 * std::numbers::pi * sine_hz * t) +
         (phase < 0.5 ? square_w : -square_w);
}

// The rail's energy from time 0.
double rail_j(int64_t now_ns) {
  const double t = seconds_of(now_ns);
  const double turn = 2 * std::numbers::pi * sine_hz;
  const double phase = t * square_hz - std::floor(t * square_hz);
  return base_w * t - sine_w / turn * std::cos(turn * t) +
         square_w / square_hz * (phase < 0.5 ? phase : 1 - phase);
}

// Keeps every core busy while it lives.
class Load {
 public:
  Load() {
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads_.emplace_back([this] {
        volatile double x = 1;
        while (!done_.load(std::memory_order_relaxed)) x = x * 1.0000001;
      });
  }
  ~Load() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

void sleep_seconds(double seconds) {
  sleep_until_ns(monotonic_ns() + nanoseconds(seconds));
}

void add(Sampler& sampler, const SensorPtr& sensor, double every_s) {
  if (const auto index = sampler.add(sensor, {every_s}); !index) give_up(index.error().message);
}

void start(Sampler& sampler) {
  if (const Status status = sampler.start(); !status.ok()) give_up(status.error().message);
}

SensorPtr counter_file(const std::filesystem::path& folder) {
  const auto file = folder / "energy_uj";
  if (const Status written = write_file(file, "123456789\n"); !written.ok())
    give_up(written.error().message);
  return file_sensor(
      {.name = "package-0", .unit = "J", .kind = SensorKind::energy_counter, .source = "rapl"},
      file, 1e-6);
}

SamplingStats lateness(const std::filesystem::path& folder, double seconds) {
  Sampler sampler;
  add(sampler, counter_file(folder), period_s);
  start(sampler);
  sleep_seconds(seconds);
  sampler.stop();
  return sampler.trace(0).stats;
}

// The naive loop: late by all that a sleep takes too long, and the next period starts from there.
struct NaiveLoop {
  double late_p99_us = 0, hz = 0;
};

NaiveLoop naive_loop(const std::filesystem::path& folder, double seconds) {
  const SensorPtr sensor = counter_file(folder);
  std::vector<double> late;
  const int64_t begin = monotonic_ns();
  while (seconds_of(monotonic_ns() - begin) < seconds) {
    const int64_t wanted = monotonic_ns() + nanoseconds(period_s);
    std::this_thread::sleep_for(std::chrono::duration<double>(period_s));
    late.push_back(static_cast<double>(monotonic_ns() - wanted) * 1e-3);
    if (!sensor->read()) give_up("the sensor cannot be read");
  }
  return {quantile(late, 0.99),
          static_cast<double>(late.size()) / seconds_of(monotonic_ns() - begin)};
}

// CPU time of sampling, in percent of one core.
double cpu_percent(const SensorList& list, double every_s, double seconds) {
  Sampler sampler;
  for (const SensorPtr& sensor : list.sensors) add(sampler, sensor, every_s);
  start(sampler);
  const double before = sampler.cpu_seconds();
  const Stopwatch watch;
  sleep_seconds(seconds);
  return 100 * (sampler.cpu_seconds() - before) / watch.seconds();
}

struct EnergyErrors {
  double trapezoid_pct = 0, rectangle_pct = 0;
};

EnergyErrors energy_errors(const Trace& trace, double window_s, int64_t begin_ns, int64_t end_ns) {
  Random random(7);
  std::vector<double> trapezoid, rectangle;
  const int64_t length = nanoseconds(window_s);
  for (int i = 0; i < 500; ++i) {
    const auto room = static_cast<double>(end_ns - begin_ns - length);
    const int64_t from = begin_ns + static_cast<int64_t>(random.uniform() * room);
    const auto window = energy_between(trace, from, from + length);
    if (!window) give_up(window.error().message);
    const double truth = rail_j(from + length) - rail_j(from);
    trapezoid.push_back(100 * std::abs(window->energy_j / truth - 1));
    rectangle.push_back(100 * std::abs(window->rectangle_j / truth - 1));
  }
  return {quantile(trapezoid, 0.99), quantile(rectangle, 0.99)};
}

struct EnergyFigures {
  EnergyErrors short_windows, long_windows;
};

EnergyFigures energy_figures(double seconds) {
  Sampler sampler;
  add(sampler,
      function_sensor({.name = "rail", .unit = "W", .kind = SensorKind::power, .source = "bench"},
                      [](int64_t now) { return Result<double>(rail_w(now)); }),
      period_s);
  start(sampler);
  const int64_t begin = monotonic_ns();
  sleep_seconds(seconds);
  const int64_t end = monotonic_ns();
  sampler.stop();
  const Trace trace = sampler.trace(0);
  return {energy_errors(trace, 0.1, begin, end), energy_errors(trace, 1, begin, end)};
}

// Two sockets with their cores and memory, as RAPL shows them.
SensorList two_sockets(const std::filesystem::path& root) {
  for (const char* id : {"0", "0:0", "0:1", "1", "1:0", "1:1"}) {
    const auto folder = root / "sys/class/powercap" / fmt::format("intel-rapl:{}", id);
    for (const auto& [name, text] : {std::pair("name", "package-0\n"),
                                     {"energy_uj", "123456789\n"},
                                     {"max_energy_range_uj", "262143328850\n"}})
      if (const Status written = write_file(folder / name, text); !written.ok())
        give_up(written.error().message);
  }
  return open_power_sensors(root);
}

int main_of(double seconds) {
  const TempFolder folder;
  if (folder.path().empty()) give_up("cannot make a temporary folder");
  fmt::print(stderr, "lateness, machine as it is\n");
  const SamplingStats idle = lateness(folder.path(), seconds);
  SamplingStats busy;
  NaiveLoop naive;
  {
    fmt::print(stderr, "lateness, every core busy\n");
    const Load load;
    busy = lateness(folder.path(), seconds);
    naive = naive_loop(folder.path(), seconds);
  }
  fmt::print(stderr, "CPU time\n");
  SensorList system = open_system_sensors("/");
  system.append(open_detail_sensors("/"));
  const double power_pct = cpu_percent(two_sockets(folder.path()), 0.01, seconds);
  const double system_pct = cpu_percent(system, 1, seconds);
  fmt::print(stderr, "energy of a synthetic rail\n");
  const EnergyFigures energy = energy_figures(std::max(seconds, 2.0));
  const Json figures{
      {"p99_late_us_idle", idle.late_p99_us},
      {"p99_late_us_busy", busy.late_p99_us},
      {"max_late_us_busy", busy.late_max_us},
      {"missed_pct_busy", 100 * static_cast<double>(busy.missed) /
                              static_cast<double>(std::max<uint64_t>(busy.wanted, 1))},
      {"real_time", busy.real_time},
      {"cpu_pct_100hz", power_pct},
      {"cpu_pct_system_1hz", system_pct},
      {"energy_err_pct_100ms", energy.short_windows.trapezoid_pct},
      {"energy_err_pct_1s", energy.long_windows.trapezoid_pct},
      {"naive_p99_late_us_busy", naive.late_p99_us},
      {"naive_hz_busy", naive.hz},
      {"naive_energy_err_pct_100ms", energy.short_windows.rectangle_pct},
      {"naive_energy_err_pct_1s", energy.long_windows.rectangle_pct}};
  fmt::print("{}\n", Json{{"benchmark", "sampler"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const auto seconds = argc > 1 ? flyball::parse_double(argv[1]) : std::optional<double>(10);
  if (!seconds || !(*seconds >= 1) || *seconds > 600) {
    std::fputs("usage: sampler_bench [SECONDS of each part, 1 to 600]\n", stderr);
    return 2;
  }
  return flyball::main_of(*seconds);
}
