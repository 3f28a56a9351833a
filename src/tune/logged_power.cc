#include "tune/logged_power.h"

#include <fmt/format.h>

#include <cmath>

#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/time_stamp.h"

namespace flyball {
namespace {

std::optional<EnergyWindow> covered(const Measurement& m, const Trace& log, int64_t offset_ns) {
  const auto started = parse_time_stamp(m.started_utc);
  if (!started) return {};
  const double begin_s = *started + m.settle_s + m.warm_up_s, end_s = *started + m.total_s;
  const auto monotonic = [&](double s) {
    return static_cast<int64_t>(std::llround(s * 1e9)) - offset_ns;
  };
  if (!(end_s > begin_s)) return {};
  const auto window = energy_between(log, monotonic(begin_s), monotonic(end_s));
  if (!window || !window->complete()) return {};
  return *window;
}

}  // namespace

Result<std::vector<LoggedTrial>> logged_trials(const StoredRun& run,
                                               std::span<const StoredMeasurement> trials,
                                               const Trace& log) {
  const int64_t offset_ns = wall_minus_monotonic_ns();
  std::vector<LoggedTrial> logged;
  size_t found = 0;
  for (const StoredMeasurement& trial : trials) {
    const Measurement& m = trial.measurement;
    if (trial.reused || m.failed() || m.provenance != Provenance::measured) continue;
    logged.push_back({&trial, covered(m, log, offset_ns)});
    found += logged.back().window ? 1 : 0;
  }
  if (found > 0) return logged;
  return Error{
      Code::not_found,
      logged.empty() ? fmt::format("run {} made no live trial that a log could belong to", run.id)
                     : fmt::format("{} covers none of the {} trials of run {}, which began at {}",
                                   log.info.source, logged.size(), run.id, run.started_utc),
      "is it of that time? --plug-zone, --plug-ahead and --plug-begin set its clock right"};
}

}  // namespace flyball
