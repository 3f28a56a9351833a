#include "experiment/base_load.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "device/measuring.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/nvidia_gpus.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball {
namespace {

struct Watched {
  SensorList power, context;
};

// A board that idles is looked at seldom, or it would not idle; ten times in an epoch at least.
double power_period_s(bool idle, double epoch_s) {
  return idle ? std::clamp(epoch_s / 10, 0.01, 1.0) : 0.01;
}

Status start(Sampler& sampler, const Watched& sensors, double power_period_s) {
  FLYBALL_CHECK(sampler.add_all(sensors.power, {power_period_s}));
  FLYBALL_CHECK(sampler.add_all(sensors.context, {0.1}));
  return sampler.size() > 0 ? sampler.start() : Status();
}

Status sleep_for(double seconds, const std::function<bool()>& interrupted) {
  const int64_t end = monotonic_ns() + static_cast<int64_t>(seconds * 1e9);
  while (monotonic_ns() < end) {
    if (interrupted())
      return Error{Code::interrupted, "interrupted", "the same command goes on from here"};
    sleep_until_ns(std::min(end, monotonic_ns() + 500'000'000));
  }
  return {};
}

}  // namespace

Result<RunFigures> watch_base_load(const RunSettings& settings, int repeat,
                                   const std::function<bool()>& interrupted,
                                   const ExperimentOptions& options) {
  const bool idle = settings.state == "idle";
  const BoardInfo& board = options.board;
  Watched sensors{.power = open_power_sensors(options.root, board.gpu), .context = {}};
  if (!idle) {
    sensors.context = open_system_sensors(options.root);
    sensors.context.append(open_detail_sensors(options.root));
  }
  RunFigures figures{.settings = settings, .repeat = repeat, .started_utc = wall_clock_utc()};
  figures.power_gap = power_gap(sensors.power);
  figures.power_total = total_where(sensors.power, board.compute);
  const auto gpu = sensor_number(options.root, board.compute);
  const Disturbance disturbance;
  Sampler sampler;
  FLYBALL_CHECK(
      start(sampler, sensors, power_period_s(idle, static_cast<double>(settings.seconds))));
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    const ResourceReading before = read_resources();
    const int64_t begin = monotonic_ns();
    FLYBALL_CHECK(sleep_for(static_cast<double>(settings.seconds), interrupted));
    const int64_t end = monotonic_ns();
    EpochFigures stretch{.epoch = epoch};
    stretch.begin_unix_s = static_cast<double>(begin + wall_minus_monotonic_ns()) * 1e-9;
    stretch.e2e_s = static_cast<double>(end - begin) * 1e-9;
    const ResourceUse use = use_between(before, read_resources(), stretch.e2e_s);
    stretch.cpu_pct = use.cpu_pct;
    stretch.peak_memory_bytes = use.peak_memory_bytes;
    if (!figures.power_total.empty()) {
      const auto window = total_between(sampler.traces(), figures.power_total, begin, end);
      if (window) {
        stretch.energy_j = window->energy_j;
        stretch.power_w = window->mean_w;
      } else if (figures.power_gap.empty()) {
        figures.power_gap = fmt::format("epoch {}: {}", epoch, window.error().message);
      }
    }
    if (gpu) take_gpu(stretch, gpu_use_between(sampler.traces(), *gpu, begin, end));
    figures.epochs.push_back(std::move(stretch));
  }
  figures.disturbed = disturbance.by();
  return figures;
}

}  // namespace flyball
