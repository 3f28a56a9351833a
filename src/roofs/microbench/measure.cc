#include "roofs/microbench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/available_memory.h"
#include "base/os/interrupt.h"
#include "base/parallel.h"
#include "base/statistics.h"
#include "base/text.h"
#include "device/measuring.h"
#include "profile/trials/mode_watch.h"
#include "profile/trials/offered_axes.h"
#include "roofs/microbench/peak_kernels.h"
#include "roofs/microbench/streams.h"
#include "roofs/microbench/team.h"
#include "telemetry/sensors/other_load.h"

namespace flyball {
namespace {

constexpr double round_s = 0.02;  // of one repetition, so that what begins and ends it is little
constexpr double power_patience_s = 30;
constexpr size_t least_repeats = 5;

// Keeps a result, and with it what was computed, from being left out.
volatile double kept_result = 0;

class Bench {
 public:
  Bench(PowerMeter& meter, const RoofOptions& options, int threads)
      : meter_(meter), options_(options), team_(threads) {}

  Team& team() { return team_; }

  /// Repeats `body(times)`, which does `work` as often as it is told, and takes its rate. Power is
  /// counted once it has settled, and until enough of its updates are known.
  Result<Rate> rate(double work, const std::function<void(size_t)>& body) {
    const size_t times = calibrate(body);
    const bool powered = !meter_.total().empty();
    FLYBALL_CHECK(meter_.begin());
    const Stopwatch settling;
    while (powered && !meter_.settled() && settling.seconds() < power_patience_s)
      FLYBALL_CHECK(once(times, body));
    meter_.count();
    std::vector<double> rates;
    const Stopwatch watch;
    const auto enough = [&] {
      return rates.size() >= least_repeats && watch.seconds() >= options_.seconds &&
             (!powered || meter_.updates() >= power_updates_wanted ||
              watch.seconds() > power_patience_s);
    };
    while (!enough()) {
      const Stopwatch repeat;
      FLYBALL_CHECK(once(times, body));
      rates.push_back(work * static_cast<double>(times) / repeat.seconds());
    }
    const auto power = meter_.end();
    const Quartiles spread = quartiles(rates);
    return Rate{*std::ranges::max_element(rates), spread.median, spread.q1, spread.q3,
                powered && power ? power->mean_w : not_known};
  }

 private:
  Status once(size_t times, const std::function<void(size_t)>& body) {
    FLYBALL_CHECK(check_interrupt(options_.interrupted));
    body(times);
    return {};
  }

  static size_t calibrate(const std::function<void(size_t)>& body) {
    for (size_t times = 1;; times *= 2) {
      const Stopwatch watch;
      body(times);
      const double took = watch.seconds();
      if (took >= round_s || times >= (size_t{1} << 40))
        return std::max<size_t>(1,
                                static_cast<size_t>(static_cast<double>(times) * round_s / took));
    }
  }

  PowerMeter& meter_;
  const RoofOptions& options_;
  Team team_;
};

// The parts of an array that belong to the threads of a team; each a multiple of 256 elements.
struct Parts {
  size_t each = 0;
  int threads = 1;

  size_t all() const { return each * static_cast<size_t>(threads); }
};
Parts parts_of(double bytes, size_t element, int threads) {
  const double each = bytes / static_cast<double>(element) / threads;
  return {std::max<size_t>(1, static_cast<size_t>(each) / 256) * 256, threads};
}

template <class T>
Result<std::vector<T>> array_of(const Parts& parts) {
  std::vector<T> array;
  try {
    array.resize(parts.all());
  } catch (const std::bad_alloc&) {
    return Error{Code::unavailable,
                 fmt::format("no memory for an array of {} bytes", parts.all() * sizeof(T)),
                 "name a smaller one with --array"};
  }
  return array;
}

Status measure_peaks(Bench& bench, ModeRoofs& mode, const std::function<void(std::string)>& say) {
  const PeakKernel widest = widest_fp32();
  const int threads = bench.team().size();
  for (const PeakKernel& kernel : peak_kernels()) {
    say(kernel.isa + " " + kernel.precision);
    std::vector<double> results(static_cast<size_t>(threads));
    const auto body = [&](size_t times) {
      bench.team().run([&](int i) { results[static_cast<size_t>(i)] = kernel.run(1000 * times); });
      kept_result = kept_result + results[0];
    };
    FLYBALL_ASSIGN(const Rate rate, bench.rate(1000 * kernel.op_per_round * threads, body));
    mode.peaks.push_back({kernel.isa, kernel.precision, kernel.bits, rate});
    if (kernel.isa == widest.isa && kernel.precision == "fp32") mode.flop_per_s = rate.best;
  }
  return {};
}

Status measure_streams(Bench& bench, ModeRoofs& mode, double bytes,
                       const std::function<void(std::string)>& say) {
  const Parts parts = parts_of(bytes, sizeof(double), bench.team().size());
  FLYBALL_ASSIGN(std::vector<double> a, array_of<double>(parts));
  FLYBALL_ASSIGN(std::vector<double> b, array_of<double>(parts));
  FLYBALL_ASSIGN(std::vector<double> c, array_of<double>(parts));
  std::ranges::fill(b, 1.0);
  std::ranges::fill(c, 2.0);
  const auto on_parts = [&](auto loop) {
    return [&bench, &parts, loop](size_t times) {
      bench.team().run([&](int i) {
        for (size_t k = 0; k < times; ++k) loop(static_cast<size_t>(i) * parts.each, parts.each);
      });
    };
  };
  const double array = static_cast<double>(parts.all() * sizeof(double));
  say("triad");
  FLYBALL_ASSIGN(const Rate triad, bench.rate(3 * array, on_parts([&](size_t at, size_t n) {
                                                stream_triad(&a[at], &b[at], &c[at], 3, n);
                                              })));
  say("copy");
  FLYBALL_ASSIGN(const Rate copy, bench.rate(2 * array, on_parts([&](size_t at, size_t n) {
                                               stream_copy(&c[at], &a[at], n);
                                             })));
  kept_result = kept_result + c[parts.all() / 2];
  mode.streams.push_back({"triad", 3 * array, triad});
  mode.streams.push_back({"copy", 2 * array, copy});
  mode.bytes_per_s = triad.best;
  return {};
}

// k = 0 reads alone: one addition on each float.
Status measure_sweep(Bench& bench, ModeRoofs& mode, const RoofOptions& options, double bytes,
                     const std::function<void(std::string)>& say) {
  const PeakKernel kernel = widest_fp32();
  const Parts parts = parts_of(bytes, sizeof(float), bench.team().size());
  FLYBALL_ASSIGN(std::vector<float> data, array_of<float>(parts));
  std::ranges::fill(data, 1.0F);
  std::vector<double> results(static_cast<size_t>(bench.team().size()));
  const double array = static_cast<double>(parts.all() * sizeof(float));
  for (const double wanted : options.intensities) {
    const int k = static_cast<int>(std::max(0.0, std::round((4 * wanted - 1) / 2)));
    const double intensity = (2 * k + 1) / 4.0;
    if (!mode.sweep.empty() && intensity <= mode.sweep.back().intensity) continue;
    say(fmt::format("{:.3g} FLOP/B", intensity));
    const auto body = [&](size_t times) {
      bench.team().run([&](int i) {
        double sum = 0;
        for (size_t t = 0; t < times; ++t)
          sum += kernel.sweep(&data[static_cast<size_t>(i) * parts.each], parts.each, k);
        results[static_cast<size_t>(i)] = sum;
      });
      kept_result = kept_result + results[0];
    };
    FLYBALL_ASSIGN(const Rate rate, bench.rate(array * intensity, body));
    mode.sweep.push_back({intensity, rate});
    if (k > 0) continue;
    const double per = intensity;
    mode.streams.push_back(
        {"read",
         array,
         {rate.best / per, rate.median / per, rate.q1 / per, rate.q3 / per, rate.power_w}});
  }
  return {};
}

// An empty parallel region. The median: the best is one where no thread had gone to sleep.
Status measure_launch(Bench& bench, ModeRoofs& mode) {
  FLYBALL_ASSIGN(const Rate rate, bench.rate(1, [&](size_t times) {
    for (size_t t = 0; t < times; ++t) bench.team().run([](int) {});
  }));
  mode.launch_s = 1 / rate.median;
  return {};
}

// Each second at a place of the sweep, and at the widest peaks, is a sample.
std::optional<EnergyConstants> energy_of(const ModeRoofs& mode) {
  std::vector<RoofSample> samples;
  const auto add = [&](double flop, double bytes, double power_w) {
    if (power_w > 0) samples.push_back({flop, bytes, 1, power_w});
  };
  for (const MeasuredPeak& peak : mode.peaks)
    if (peak.precision == "fp32" && peak.op.best == mode.flop_per_s)
      add(peak.op.median, 0, peak.op.power_w);
  for (const SweepPoint& point : mode.sweep)
    add(point.flop.median, point.flop.median / point.intensity, point.flop.power_w);
  return fit_energy(samples);
}

Result<ModeRoofs> measure_mode(Device& device, PowerMeter& meter, const PowerMode& wanted,
                               const RoofOptions& options,
                               const std::function<void(std::string)>& say) {
  ModeRoofs mode{.mode = wanted};
  FLYBALL_CHECK(set_alone(device, wanted, 0.1));
  if (!meter.total().empty()) {
    say("idle");
    FLYBALL_ASSIGN(mode.idle,
                   measure_idle(device, meter, wanted,
                                {.seconds = options.idle_s, .interrupted = options.interrupted}));
  }
  const auto cores = wanted.values.find(axis::cpu_cores);
  mode.threads = static_cast<int>(
      cores != wanted.values.end() ? cores->second : static_cast<double>(usable_cores()));
  Bench bench(meter, options, mode.threads);
  const double bytes = roof_array_bytes(options);
  FLYBALL_CHECK(measure_peaks(bench, mode, say));
  FLYBALL_CHECK(measure_streams(bench, mode, bytes, say));
  FLYBALL_CHECK(measure_sweep(bench, mode, options, bytes, say));
  say("launch");
  FLYBALL_CHECK(measure_launch(bench, mode));
  mode.energy = energy_of(mode);
  FLYBALL_CHECK(device.still_set());
  return mode;
}

// Of cpu0, as the kernel lists it ("32768K"); 0 where it does not. What the C library tells of a
// virtual machine is the cache of the whole socket.
double last_cache_bytes() {
  double most = 0;
  for (const char* index : {"index2", "index3"}) {
    const auto text = read_file(fmt::format("/sys/devices/system/cpu/cpu0/cache/{}/size", index));
    if (!text) continue;
    std::string_view size = trim(*text);
    const double unit = size.ends_with('K') ? 1024 : size.ends_with('M') ? 1048576 : 1;
    if (unit > 1) size.remove_suffix(1);
    most = std::max(most, unit * parse_double(size).value_or(0));
  }
  return most;
}

}  // namespace

double roof_array_bytes(const RoofOptions& options) {
  if (options.array_bytes > 0) return options.array_bytes;
  const double wanted = std::max(64e6, 4 * last_cache_bytes());
  const auto left = available_memory();
  return left ? std::min(wanted, static_cast<double>(*left) / 8) : wanted;
}

std::vector<PowerMode> roof_modes(const Device& device, std::vector<PowerMode> named) {
  const PowerMode caps = device.caps();
  PowerMode highest;
  std::vector<PowerMode> lowest;
  for (const Axis& axis : offered_axes(device, {})) {
    const auto cap = caps.values.find(axis.name);
    if (axis.values.empty() || cap == caps.values.end()) continue;
    highest.values[axis.name] = cap->second;
    if (cap->second > axis.values.front()) lowest.push_back({{{axis.name, axis.values.front()}}});
  }
  std::vector<PowerMode> modes = std::move(named);
  if (modes.empty()) {
    modes = std::move(lowest);
    modes.insert(modes.begin(), highest);
  }
  for (PowerMode& mode : modes)  // every other axis at its cap
    mode.values.insert(highest.values.begin(), highest.values.end());
  return modes;
}

Result<BoardRoofs> measure_roofs(Device& device, PowerMeter& meter,
                                 const std::vector<PowerMode>& modes, const RoofOptions& options) {
  BoardRoofs roofs{.device = device.info().name,
                   .title = device.info().title,
                   .fingerprint = device.info().fingerprint,
                   .total = meter.total(),
                   .power_gap = meter.gap(),
                   .measured_utc = wall_clock_utc()};
  const Disturbance disturbance;
  const OtherLoad others;
  const size_t steps =
      peak_kernels().size() + 3 + options.intensities.size() + (meter.total().empty() ? 0 : 1);
  size_t done = 0;
  const auto say = [&](const std::string& what) {
    if (options.progress) options.progress(done++, steps * modes.size(), what);
  };
  for (const PowerMode& mode : modes) {
    FLYBALL_ASSIGN(ModeRoofs measured, measure_mode(device, meter, mode, options, say));
    roofs.modes.push_back(std::move(measured));
  }
  roofs.other_cores = others.cores();
  roofs.disturbed = disturbance.by();
  return roofs;
}

}  // namespace flyball
