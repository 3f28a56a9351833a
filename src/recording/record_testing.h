// Records that tests write and read.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "recording/sample_recorder.h"

namespace flyball {

inline RecordInfo sample_info(uint64_t most_bytes = uint64_t{64} << 20) {
  return {.command = "flyball record",
          .device = "host",
          .board = "a board",
          .provenance = "measured",
          .remarks = "",
          .started_utc = "2026-03-01T12:30:05Z",
          .started_unix_s = 1772368205,
          .rate_hz = 100,
          .most_bytes = most_bytes};
}

inline std::vector<RecordChannel> sample_channels(double rate_hz = 100) {
  return {record_channel({.name = "VDD_GPU_SOC",
                          .unit = "W",
                          .kind = SensorKind::power,
                          .source = "ina3221",
                          .total = "module",
                          .period_s = 1 / rate_hz},
                         1 / rate_hz),
          record_channel({.name = "energy",
                          .unit = "J",
                          .kind = SensorKind::energy_counter,
                          .source = "rapl",
                          .total = "package",
                          .period_s = 0.001,
                          .max_rate = 5000},
                         1 / rate_hz),
          record_channel({.name = "temp", .unit = "C", .source = "proc"}, 1)};
}

// 10 W ± 5 W in a minute's wave, a counter that gains 20 W, a temperature that rises.
inline double sample_watts(double at_s) {
  return std::round(1e3 * (10 + 5 * std::sin(at_s * 2 * 3.14159265358979 / 60))) / 1e3;
}

/// What the channels above show from one second up to another.
inline void add_samples(SampleRecorder& recorder, double from_s, double to_s,
                        double rate_hz = 100) {
  std::vector<Sample> watts, joules, celsius;
  const auto first = std::llround(from_s * rate_hz), last = std::llround(to_s * rate_hz);
  for (auto i = first; i < last; ++i) {
    const double at_s = static_cast<double>(i) / rate_hz;
    const auto at_ns = static_cast<int64_t>(at_s * 1e9);
    watts.push_back({at_ns, sample_watts(at_s)});
    joules.push_back({at_ns, 20 * at_s});
    if (i % std::llround(rate_hz) == 0) celsius.push_back({at_ns, 30 + std::floor(at_s) / 100});
  }
  recorder.add(0, watts);
  recorder.add(1, joules);
  recorder.add(2, celsius);
}

/// Writes as a live recording does, so much at a time.
inline Status write_samples(SampleRecorder& recorder, double from_s, double to_s,
                            double each_s = 0.5, double rate_hz = 100) {
  for (double at_s = from_s; at_s < to_s - 1e-9; at_s += each_s) {
    const double until_s = std::min(at_s + each_s, to_s);
    add_samples(recorder, at_s, until_s, rate_hz);
    FLYBALL_CHECK(recorder.flush(static_cast<int64_t>(until_s * 1e9)));
  }
  return {};
}

}  // namespace flyball
