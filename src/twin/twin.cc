#include "twin/twin.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.h"
#include "base/text.h"
#include "twin/governor.h"
#include "twin/plan.h"
#include "twin/stream.h"

namespace flyball {

Result<TwinConfiguration> twin_configuration(const Trial& trial) {
  TwinConfiguration configuration;
  configuration.mode = trial.mode;
  for (const auto& [name, value] : trial.job.settings) {
    if (name == axis::batch_size) {
      configuration.batch_size = value;
    } else if (name == axis::loader_workers) {
      configuration.loader_workers = value;
    } else if (name == axis::prefetch) {
      configuration.prefetch = value;
    } else {
      return Error{Code::invalid_argument, fmt::format("a simulated board knows no {}", name),
                   "it knows batch_size, loader_workers and prefetch"};
    }
  }
  return configuration;
}

TwinPower twin_power(const TwinBoard& board, const TwinRailPower& rail_w) {
  TwinPower power{rail_w, 0, 0};
  for (size_t rail = 0; rail < board.rails.size(); ++rail) {
    power.monitor_w += rail_w[rail];
    if (board.rails[rail].module) power.module_w += rail_w[rail];
  }
  return power;
}

std::string twin_power_total(const TwinBoard& board) {
  if (board.rails.empty()) return "";
  if (std::ranges::any_of(board.rails, &TwinRail::module)) return "module";
  return board.rails.size() == 1 ? board.rails.front().name : "monitor";
}

std::string twin_power_gap(const TwinBoard& board) {
  return board.rails.empty() ? board.id + " has no rails that tell its power" : "";
}

Status check_twin_total(const TwinBoard& board, const std::string& total) {
  std::vector<std::string> totals;
  if (!board.rails.empty()) totals.emplace_back("monitor");
  if (std::ranges::any_of(board.rails, &TwinRail::module)) totals.emplace_back("module");
  for (const TwinRail& rail : board.rails) totals.push_back(rail.name);
  const bool any = total.empty() && !totals.empty();
  if (any || std::ranges::find(totals, total) != totals.end()) return {};
  return Error{Code::invalid_argument,
               fmt::format("the twin of {} tells no power total '{}'", board.id, total),
               totals.empty() ? "it has no rails: give a table without power"
                              : "it tells: " + join(totals, ", ")};
}

Result<double> twin_power_of(const TwinBoard& board, const TwinPower& power,
                             const std::string& total) {
  FLYBALL_CHECK(check_twin_total(board, total));
  if (total.empty() || total == "monitor") return power.monitor_w;
  if (total == "module") return power.module_w;
  double watts = 0;
  for (size_t rail = 0; rail < board.rails.size(); ++rail)
    if (board.rails[rail].name == total) watts += power.rail_w[rail];
  return watts;
}

std::optional<double> twin_plug_w(const TwinBoard& board, double module_w) {
  if (!(module_w > 0))
    return board.plug_suspended_w >= 0 ? std::optional(board.plug_suspended_w) : std::nullopt;
  if (board.plug_w < 0) return {};
  return board.plug_w + module_w / board.plug_efficiency;
}

double twin_total_w(const TwinBoard& board, const TwinPower& power) {
  const auto watts = twin_power_of(board, power, twin_power_total(board));
  return watts ? *watts : 0;
}

Result<TwinPower> idle_power(const TwinBoard& board, const PowerMode& mode, const TwinIdle& idle) {
  TwinPlan plan;
  FLYBALL_ASSIGN(plan.clocks,
                 twin_clocks(board, idle.governors ? resting_mode(board, mode) : mode));
  add_twin_power(board, plan);
  const double background =
      std::min(plan.clocks.cores, background_cores(board, plan.clocks) +
                                      (idle.logging ? board.constants.bystanders : 0));
  TwinRailPower rail_w = plan.rest_w;
  for (size_t rail = 0; rail < rail_w.size(); ++rail)
    rail_w[rail] += background * plan.core_w[rail];
  return twin_power(board, rail_w);
}

MinibatchTimes TwinRun::median() const {
  std::vector<double> stall, compute, e2e;
  for (size_t i = minibatches.size() > 1 ? 1 : 0; i < minibatches.size(); ++i) {
    stall.push_back(minibatches[i].stall_ms());
    compute.push_back(minibatches[i].compute_ms);
    e2e.push_back(minibatches[i].e2e_ms());
  }
  if (e2e.empty()) return {};
  return {flyball::median(stall), flyball::median(compute), flyball::median(e2e), 0};
}

size_t whole_rounds_of(size_t minibatches, double workers) {
  const size_t round = workers > 1 ? static_cast<size_t>(workers) : 1;
  return round > minibatches ? minibatches : minibatches / round * round;
}

size_t TwinRun::whole_rounds(double workers) const {
  return minibatches.size() < 2 ? 0 : whole_rounds_of(minibatches.size() - 1, workers);
}

double TwinRun::mean_ms(double workers) const {
  const size_t counted = whole_rounds(workers);
  if (counted == 0) return 0;
  return (minibatches.back().end_s - minibatches[minibatches.size() - 1 - counted].end_s) * 1e3 /
         static_cast<double>(counted);
}

Result<Twin> Twin::make(const TwinBoard& board, TwinWorkload workload) {
  FLYBALL_ASSIGN(TwinNetwork network, make_twin_network(workload.layers, workload.half_precision));
  const TwinData& data = workload.data;
  if (!(data.samples >= 0) || !(data.sample_bytes >= 0) || !(data.preprocess_mcycles >= 0) ||
      !(data.input_bytes >= 0))
    return Error{Code::invalid_argument,
                 fmt::format("{}: what its data are is negative or no number", workload.name), ""};
  Twin twin;
  twin.board_ = std::make_shared<TwinBoard>(board);
  twin.network_ = std::make_shared<TwinNetwork>(std::move(network));
  twin.workload_ = std::move(workload);
  return twin;
}

Result<TwinStream> Twin::stream(const TwinConfiguration& configuration,
                                const TwinOptions& options) const {
  FLYBALL_ASSIGN(const TwinPlan plan, make_twin_plan(*board_, *network_, workload_, configuration));
  auto inside = std::make_unique<TwinStream::Inside>(board_, plan, workload_, options);
  if (configuration.governors)
    // Below the caps of a mode that has a plan every mode has one.
    inside->govern(TwinGovernor(*board_, configuration.mode),
                   [board = board_, network = network_, workload = workload_,
                    configuration](const TwinGovernor& now) {
                     TwinConfiguration there = configuration;
                     there.mode = now.mode();
                     there.other_cpu_mhz = now.other_cpu_mhz();
                     return make_twin_plan(*board, *network, workload, there).value();
                   });
  return TwinStream(std::move(inside));
}

Result<TwinRun> Twin::simulate(const TwinConfiguration& configuration,
                               const TwinOptions& options) const {
  FLYBALL_ASSIGN(TwinStream stream, this->stream(configuration, options));
  TwinRun run;
  run.minibatches.reserve(static_cast<size_t>(std::max(0, options.minibatches)));
  for (int i = 0; i < options.minibatches; ++i) run.minibatches.push_back(stream.next());
  run.power = stream.power();
  run.use = stream.use();
  run.cached = stream.cached();
  return run;
}

Result<Twin::Steady> steady_twin(const TwinBoard& board, const TwinNetwork& network,
                                 const TwinWorkload& workload,
                                 const TwinConfiguration& configuration) {
  FLYBALL_ASSIGN(const TwinPlan plan, make_twin_plan(board, network, workload, configuration));
  Twin::Steady steady;
  const double length = plan.expected_s;
  steady.times = {(length - plan.compute_s) * 1e3, plan.compute_s * 1e3, length * 1e3, 1};
  const double cores = std::min(
      plan.clocks.cores,
      (plan.prepare_core_s + plan.handover_s + plan.compute_s + plan.compute_core_s) / length +
          plan.other_cores);
  TwinRailPower rail_w = plan.rest_w;
  for (size_t rail = 0; rail < rail_w.size(); ++rail)
    rail_w[rail] += cores * plan.core_w[rail] + plan.minibatch_j[rail] / length;
  steady.power = twin_power(board, rail_w);
  const double peak = 2 * plan.clocks.mem_hz * board.constants.bus_bits / 8 * length;
  steady.use = {cores, std::min(1.0, plan.pass.gpu_s / length), plan.pass.math_s / length,
                plan.pass.bytes / peak};
  return steady;
}

Result<Twin::Steady> Twin::steady(const TwinConfiguration& configuration) const {
  return steady_twin(*board_, *network_, workload_, configuration);
}

MemoryNeed Twin::memory(const TwinConfiguration& configuration, double most_bytes) const {
  return twin_memory(*board_, *network_, workload_, configuration, most_bytes);
}

}  // namespace flyball
