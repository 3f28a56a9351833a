#include "twin/prior.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "space/few_values.h"
#include "twin/calibrate.h"

namespace flyball {
namespace {

constexpr size_t most_values = 7;  // of an axis: between them the predictor's form carries it
constexpr int minibatches = 40;    // that the medians of tables are of
constexpr double most_other_work = 1.25;  // layers of one network are counted within 10 %

bool is_of_runs(const std::string& name) {
  return name == axis::batch_size || name == axis::loader_workers || name == axis::prefetch;
}

// Those of its values that the twin can be asked for; a run's are any.
std::vector<double> known_values(const TwinBoard& board, const Axis& asked) {
  if (is_of_runs(asked.name)) return asked.values;
  const Axis* has = find_axis(board.axes, asked.name);
  if (!has) return {};
  std::vector<double> values = asked.values;
  std::erase_if(values, [&](double value) {
    return std::ranges::find(has->values, value) == has->values.end();
  });
  return values;
}

}  // namespace

Result<WorkloadTable> twin_prior(const TwinBoard& board, const TwinWorkload& workload,
                                 const std::string& power_total, std::span<const Axis> axes,
                                 bool mean, double batch_size) {
  FLYBALL_ASSIGN(const TwinNetwork network,
                 make_twin_network(workload.layers, workload.half_precision));
  WorkloadTable prior;
  prior.device = board.id;
  prior.workload = workload.name;
  prior.phase = network.phase;
  prior.power_total =
      check_twin_total(board, power_total).ok() ? power_total : twin_power_total(board);
  prior.accepted.simulated = true;
  std::vector<Axis> known;
  for (const Axis& asked : axes) {
    Axis axis = asked;
    axis.values = few_values(known_values(board, asked), most_values);
    // Clocks that are none of the board's: it would answer at its highest in their place.
    if (axis.values.empty() && !asked.values.empty() && find_axis(board.axes, asked.name))
      return Error{Code::not_found,
                   "the twin of " + board.id + " has none of the values of " + asked.name, ""};
    if (!axis.values.empty()) known.push_back(std::move(axis));
  }
  WorkloadTable grid = prior;
  grid.space = Space::grid(known);
  const bool fixed = batch_size > 0 && !find_axis(known, axis::batch_size);
  for (Axis& axis : known) axis.values.clear();
  prior.space = Space(std::move(known));
  for (size_t i = 0; i < grid.space.size(); ++i) {
    TwinConfiguration configuration = twin_configuration(grid, i);
    if (fixed) configuration.batch_size = batch_size;
    const auto told =
        twin_reading(board, network, workload, configuration, minibatches, prior.power_total);
    if (!told) continue;  // it does not fit the memory
    const double power =
        board.rails.empty() ? std::numeric_limits<double>::quiet_NaN() : told->power_w;
    prior.add(grid.space.row(i), mean ? told->mean_ms : told->minibatch_ms, power,
              Provenance::simulated);
  }
  if (prior.size() == 0)
    return Error{Code::not_found, "the twin of " + board.id + " knows none of these configurations",
                 ""};
  return prior;
}

std::shared_ptr<const WorkloadTable> known_prior(const TwinBoard& board, const WorkloadTable& asked,
                                                 std::span<const Axis> axes, bool live) {
  auto workload = known_twin_workload(asked.workload, asked.phase);
  if (!workload || !(asked.knows_batches() || find_axis(axes, axis::batch_size))) return nullptr;
  if (live) keep_requests_at_hand(*workload, {axes.begin(), axes.end()});
  auto prior = twin_prior(board, *workload, asked.power_total, axes, live, asked.batch_size);
  return prior.ok() ? std::make_shared<const WorkloadTable>(*std::move(prior)) : nullptr;
}

bool is_work_of_twin(const std::string& workload, Phase phase, const Cost& counted) {
  const auto known = known_twin_workload(workload, phase);
  const auto own = known ? cost_of(known->layers[0], known->layers[1]) : known.error();
  if (!own) return false;
  const double ratio = counted.flop_at(usual_batch_size) / own->flop_at(usual_batch_size);
  return ratio > 1 / most_other_work && ratio < most_other_work;
}

}  // namespace flyball
