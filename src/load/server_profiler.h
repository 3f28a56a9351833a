// Trials of a server under load: it is started with the values of a trial, warmed up, loaded, read.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/power_meter.h"
#include "load/load_request.h"
#include "profile/trials/profiler.h"
#include "schedule/arrivals.h"

namespace flyball {

/// What of a server is to be small, as its trials' time.
enum class ServedFigure {
  latency,
  latency_p99,
  ttft,
  tpot,
  throughput,
  energy,
  energy_per_token,
  power
};
const char* served_figure_name(ServedFigure figure);
Result<ServedFigure> parse_served_figure(const std::string& text);
/// What a trial's minibatch stands for: "request" or "token".
const char* served_unit(ServedFigure figure);

/// Figures that a trial under load has (load_figures()); limits may be on them.
const std::vector<std::string>& served_figures();

struct ServerTrialOptions {
  std::vector<std::string> argv;  ///< `{port}` and axes stand for their values
  std::string url = "http://127.0.0.1:{port}";
  std::string protocol, ready;
  std::vector<Axis> open;  ///< axes of the command; one of the device may be narrowed
  Presets presets{};
  std::vector<std::string> environment{};
  LoadRequestOptions request;
  ArrivalSpec arrivals;
  uint64_t seed = 1;
  double load_s = 10, warm_up_s = 1, timeout_s = 60, start_s = 600;
  size_t connections = 256;
  ServedFigure figure = ServedFigure::latency;
  const std::atomic<bool>* interrupted = nullptr;
};

/// Axes: those of the device and those of the command. The server is started anew only where a
/// value of its command changes, or what it inherits (cores by affinity); modes of the board are
/// set while it runs. It ends with the profiler. Equal arrivals (by seed) in each trial, others in
/// its repeats. Errors: places without an axis, axes without a place.
Result<std::unique_ptr<Profiler>> make_server_profiler(std::unique_ptr<Device> device,
                                                       std::unique_ptr<PowerMeter> meter,
                                                       const ServerTrialOptions& options);

}  // namespace flyball
