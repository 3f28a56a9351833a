#include "evaluate/findings/finding_runs.h"

#include <fmt/format.h>

#include <cmath>

#include "twin/twin.h"

namespace flyball {
namespace {

constexpr double j_per_mwh = 3.6;
constexpr double below = 0.9;  ///< of the highest clock: DVFS is off from there on

struct Sums {
  double stall_s = 0, compute_s = 0, e2e_s = 0, energy_j = 0;
  double gpu_megacycles = 0, cpu_below_s = 0;
};

Sums run_epoch(TwinStream& stream, const TwinBoard& board, double minibatches) {
  Sums sums;
  for (double i = 0; i < minibatches; ++i) {
    const TwinMinibatch one = stream.next();
    const double seconds = one.end_s - one.begin_s;
    sums.stall_s += one.stall_ms() * 1e-3;
    sums.compute_s += one.compute_ms * 1e-3;
    sums.e2e_s += seconds;
    sums.energy_j += twin_total_w(board, twin_power(board, one.rail_w)) * seconds;
    sums.gpu_megacycles += one.gpu_mhz * seconds;
    if (one.cpu_mhz < below * board.highest(axis::cpu_mhz)) sums.cpu_below_s += seconds;
  }
  return sums;
}

}  // namespace

Result<FindingFigures> FindingRuns::figures(const FindingSetting& setting) {
  const auto known = known_.find(setting);
  if (known != known_.end()) return known->second;
  auto run = setting.state.empty() ? epoch(setting) : idle(setting);
  if (run.ok()) known_.emplace(setting, *run);
  return run;
}

Result<double> FindingRuns::figure(const FindingSetting& setting, const std::string& name) {
  FLYBALL_ASSIGN(const FindingFigures all, figures(setting));
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  return Error{Code::invalid_argument, fmt::format("this setting tells no {}", name), ""};
}

Result<bool> FindingRuns::fits(const std::string& name, const std::string& workload) {
  FLYBALL_ASSIGN(const TwinBoard board, find_twin_board(name));
  FLYBALL_ASSIGN(TwinWorkload known, known_twin_workload(workload, Phase::train));
  FLYBALL_ASSIGN(const Twin twin, Twin::make(board, std::move(known)));
  const auto run = twin.steady(TwinConfiguration{});
  if (!run.ok() && run.error().code != Code::infeasible) return run.error();
  return run.ok();
}

Result<FindingFigures> FindingRuns::epoch(const FindingSetting& setting) const {
  FLYBALL_ASSIGN(const TwinBoard board, find_twin_board(setting.board));
  FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload(setting.workload, Phase::train));
  const double minibatches = std::floor(workload.data.samples / setting.batch);
  if (!(minibatches >= 1))
    return Error{Code::invalid_argument,
                 fmt::format("{}'s data have no number of samples", setting.workload), ""};
  FLYBALL_ASSIGN(const Twin twin, Twin::make(board, std::move(workload)));
  TwinConfiguration configuration;
  configuration.mode = study_.modes.at(setting.mode);
  configuration.batch_size = setting.batch;
  configuration.loader_workers = setting.workers;
  configuration.storage = setting.storage;
  configuration.governors = setting.governors;
  TwinOptions options;
  options.noise = false;
  options.samples_differ = true;
  options.cached = setting.first || setting.dropped ? 0 : 1;
  FLYBALL_ASSIGN(TwinStream stream, twin.stream(configuration, options));
  const double cached = stream.cached();
  const Sums sums = run_epoch(stream, board, minibatches);
  FindingFigures figures = {{"stall_s", sums.stall_s},
                            {"compute_s", sums.compute_s},
                            {"e2e_s", sums.e2e_s},
                            {"stall_ms", 1e3 * sums.stall_s / minibatches},
                            {"compute_ms", 1e3 * sums.compute_s / minibatches},
                            {"stall_pct", 100 * sums.stall_s / sums.e2e_s},
                            {"cached_pct", 100 * cached},
                            {"gpu_pct", 100 * stream.use().gpu},
                            {"gpu_mhz", sums.gpu_megacycles / sums.e2e_s},
                            {"cpu_below_pct", 100 * sums.cpu_below_s / sums.e2e_s},
                            {"energy_mwh", sums.energy_j / j_per_mwh},
                            {"power_w", sums.energy_j / sums.e2e_s}};
  FLYBALL_ASSIGN(const TwinPower idle, idle_power(board, configuration.mode));
  figures["base_pct"] = 100 * twin_total_w(board, idle) / figures["power_w"];
  return figures;
}

Result<FindingFigures> FindingRuns::idle(const FindingSetting& setting) const {
  FLYBALL_ASSIGN(const TwinBoard board, find_twin_board(setting.board));
  const TwinIdle state{.governors = setting.state == "free", .logging = setting.state == "logging"};
  FLYBALL_ASSIGN(const TwinPower power, idle_power(board, study_.modes.at(setting.mode), state));
  const auto plug =
      twin_plug_w(board, setting.state == "suspended" ? 0 : twin_total_w(board, power));
  if (!plug)
    return Error{Code::invalid_argument,
                 fmt::format("what {} draws at the wall is not known", setting.board), ""};
  return FindingFigures{{"plug_w", *plug}, {"power_w", twin_total_w(board, power)}};
}

}  // namespace flyball
