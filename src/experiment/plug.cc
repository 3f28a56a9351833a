#include "experiment/plug.h"

#include <fmt/format.h>

#include "telemetry/sampling/plug_meter.h"

namespace flyball {
namespace {

/// Nothing where the log has a gap or does not reach.
std::optional<EnergyWindow> covered(const Trace& log, const EpochFigures& epoch) {
  const auto begin = static_cast<int64_t>(epoch.begin_unix_s * 1e9) - wall_minus_monotonic_ns();
  const auto window = energy_between(log, begin, begin + static_cast<int64_t>(epoch.e2e_s * 1e9));
  if (!window || !window->complete()) return {};
  return *window;
}

}  // namespace

Status join_plug(ExperimentResult& result, const Trace& log) {
  ExperimentResult joined = result;
  size_t epochs = 0;
  for (RunFigures& run : joined.runs) {
    size_t missed = 0;
    for (EpochFigures& epoch : run.epochs) {
      const auto window = covered(log, epoch);
      epoch.energy_j = window ? std::optional(window->energy_j) : std::nullopt;
      epoch.power_w = window ? std::optional(window->mean_w) : std::nullopt;
      ++(window ? epochs : missed);
    }
    run.power_total = log.info.total;
    run.base_w.reset();  // it is of another total
    run.power_gap = missed == 0 ? ""
                                : fmt::format("{} does not cover {} of {} epochs of a run",
                                              log.info.source, missed, run.epochs.size());
  }
  if (epochs == 0)
    return Error{
        Code::not_found,
        fmt::format("{} covers no epoch of experiment {}", log.info.source, result.spec.name),
        "is it of that day? --plug-zone and --plug-ahead set its clock right"};
  result = std::move(joined);
  return {};
}

}  // namespace flyball
