#include "telemetry/sampling/plug_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "base/clock.h"
#include "base/csv.h"
#include "base/lower.h"
#include "base/statistics.h"
#include "base/text.h"
#include "telemetry/sampling/time_stamp.h"

namespace flyball {
namespace {

Result<size_t> find_column(const Csv& csv, const std::string& asked,
                           const std::vector<std::string>& usual, const char* what) {
  for (size_t i = 0; i < csv.header.size(); ++i) {
    const std::string title(trim(csv.header[i]));
    if (asked.empty() ? std::ranges::count(usual, lower(title)) > 0 : title == asked) return i;
  }
  return csv.missing({Code::corrupt,
                      fmt::format("{}: no column {}; it has: {}", csv.name,
                                  asked.empty() ? fmt::format("of {}", what) : "'" + asked + "'",
                                  join(csv.header, ", ")),
                      fmt::format("name the column of {}", what)});
}

}  // namespace

int64_t wall_minus_monotonic_ns() {
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  return int64_t{wall.tv_sec} * 1'000'000'000 + wall.tv_nsec - monotonic_ns();
}

Result<Trace> parse_plug_log(std::string_view text, const std::string& name,
                             const PlugOptions& options) {
  FLYBALL_ASSIGN(const Csv csv, parse_csv(text, name));
  FLYBALL_ASSIGN(const size_t time_at,
                 find_column(csv, options.time_column,
                             {"time", "timestamp", "time_s", "date", "datetime"}, "times"));
  FLYBALL_ASSIGN(const size_t power_at,
                 find_column(csv, options.power_column,
                             {"watts", "power", "power_w", "w", "watt", "power (w)"}, "watts"));
  Trace trace;
  trace.info = {
      .name = "plug", .unit = "W", .kind = SensorKind::power, .source = name, .total = "plug"};
  const int64_t offset_ns = wall_minus_monotonic_ns() + nanoseconds(options.clock_ahead_s);
  std::vector<double> steps;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    const auto time_s = parse_time_stamp(csv.rows[row][time_at], options.utc_offset_s);
    if (!time_s)
      return csv.at(row, time_at, fmt::format("'{}' is no time", csv.rows[row][time_at]),
                    "seconds since 1970, or like 2026-03-01T12:30:05Z");
    FLYBALL_ASSIGN(const double watts, csv.number(row, power_at));
    const int64_t time_ns = nanoseconds(*time_s) - offset_ns;
    if (!trace.samples.empty()) {
      const double step = static_cast<double>(time_ns - trace.samples.back().time_ns) * 1e-9;
      if (step <= 0) return csv.at(row, time_at, "time does not rise", "sort the lines by time");
      steps.push_back(step);
    }
    trace.samples.push_back({time_ns, watts});
  }
  if (trace.samples.empty()) return Error{Code::corrupt, name + " holds no readings", ""};
  trace.period_s = median(steps);
  trace.stats.wanted = trace.stats.achieved = trace.samples.size();
  find_repeats(trace);
  return trace;
}

Result<EnergyWindow> plug_energy(const Trace& log, int64_t begin_ns, int64_t end_ns) {
  auto window = energy_between(log, begin_ns, end_ns);
  if (window.ok() || log.samples.empty()) return window;
  const auto from_begin = [&](const Sample& sample) {
    return static_cast<double>(sample.time_ns - begin_ns) * 1e-9;
  };
  return Error{
      Code::unavailable,
      fmt::format("{} reaches from {:.1f} to {:.1f} s after the beginning of a window of "
                  "{:.1f} s",
                  log.info.source, from_begin(log.samples.front()), from_begin(log.samples.back()),
                  static_cast<double>(end_ns - begin_ns) * 1e-9),
      "is it of that time? --plug-zone and --plug-ahead set its clock right"};
}

}  // namespace flyball
