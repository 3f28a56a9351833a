#include "tune/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "answers/repeats.h"
#include "base/os/interrupt.h"
#include "base/random.h"
#include "base/statistics.h"
#include "predict/outside.h"
#include "predictors/registry.h"
#include "space/pareto.h"

namespace flyball {
namespace {

constexpr size_t most_fitted = 400;  // configurations; more tell little and take minutes
constexpr size_t most_held_out = 30;

Configuration at(const Prediction& prediction, size_t i) {
  Configuration c;
  c.minibatch_ms = prediction.minibatch_ms.mean[i];
  c.time_lo = prediction.minibatch_ms.lo90[i];
  c.time_hi = prediction.minibatch_ms.hi90[i];
  c.power_w = c.power_lo = c.power_hi = not_known;
  if (!prediction.power_w.mean.empty()) {
    c.power_w = prediction.power_w.mean[i];
    c.power_lo = prediction.power_w.lo90[i];
    c.power_hi = prediction.power_w.hi90[i];
  }
  return c;
}

bool trains_networks(const std::string& predictor) {
  const auto entry = find_predictor(predictor);
  return entry.ok() && (*entry)->neural;
}

using MeasuredConfigs = std::map<size_t, std::vector<const Measurement*>>;

// Those that did not fail, by configuration.
MeasuredConfigs measured_configs(std::span<const Observation> profiled) {
  MeasuredConfigs readings;
  for (const Observation& trial : profiled)
    if (!trial.measurement.failed()) readings[trial.config].push_back(&trial.measurement);
  return readings;
}

// At most so many: one at random of each equal stretch, so that no axis is stepped over.
std::vector<size_t> some_of(const std::vector<size_t>& all, size_t most, uint64_t seed) {
  if (all.size() <= most) return all;
  std::vector<size_t> some;
  Random random(seed);
  for (size_t i = 0; i < most; ++i) {
    const size_t begin = i * all.size() / most, end = (i + 1) * all.size() / most;
    some.push_back(all[begin + random.below(end - begin)]);
  }
  return some;
}

std::vector<size_t> configs_of(const MeasuredConfigs& readings) {
  std::vector<size_t> configs;
  for (const auto& [config, measured] : readings) configs.push_back(config);
  return configs;
}

// The profiled configurations but these.
Space space_of(const MeasuredConfigs& measured, std::span<const size_t> without,
               const TuneResult& result) {
  std::vector<size_t> configs = configs_of(measured);
  std::erase_if(configs, [&](size_t c) { return std::ranges::find(without, c) != without.end(); });
  return result.space.subset(configs);
}

// Profiled configurations predicted without their own readings: how far to believe the rest.
// Where there are hundreds, a few are left out together: the model hardly misses them.
Status hold_out(const Profiler& profiler, const MeasuredConfigs& measured, TuneResult& result) {
  if (trains_networks(result.request.predictor)) return {};
  const auto configs = some_of(configs_of(measured), most_held_out, result.request.seed);
  const size_t together = std::max<size_t>(1, measured.size() / 50);
  for (size_t first = 0; first < configs.size(); first += together) {
    FLYBALL_CHECK(check_interrupt(result.request.cancelled));
    const auto part = std::span(configs).subspan(first, std::min(together, configs.size() - first));
    const auto model = fit_profiled(profiler, result.request, result.profiled, part);
    if (!model) continue;
    const Space left_out = result.space.subset(part);
    auto prediction = (*model)->predict(left_out);
    if (!prediction) continue;
    widen_outside(space_of(measured, part, result), left_out, *prediction);
    for (size_t i = 0; i < part.size(); ++i)
      result.held_out.push_back({part[i], at(*prediction, i)});
  }
  return {};
}

// Predicts every configuration; what was measured takes its place later.
Status predict_all(const Profiler& profiler, const MeasuredConfigs& measured, TuneResult& result) {
  FLYBALL_CHECK(check_interrupt(result.request.cancelled));
  const auto model = fit_profiled(profiler, result.request, result.profiled);
  auto prediction = model ? (*model)->predict(result.space) : model.error();
  if (!prediction) {
    result.notes.push_back("nothing was predicted: " + prediction.error().message);
    return {};
  }
  widen_outside(space_of(measured, {}, result), result.space, *prediction);
  for (size_t i = 0; i < result.space.size(); ++i) result.configurations[i] = at(*prediction, i);
  result.notes.insert(result.notes.end(), prediction->notes.begin(), prediction->notes.end());
  if (measured.size() > most_fitted)
    result.notes.push_back(fmt::format("predictions are fitted on {} of {} profiled configurations",
                                       most_fitted, measured.size()));
  return {};
}

void find_front(TuneResult& result) {
  std::vector<double> cost, time;
  for (size_t i = 0; i < result.configurations.size(); ++i) {
    const Configuration& c = result.configurations[i];
    const double batch = result.counted(i);
    time.push_back(c.minibatch_ms / batch);
    cost.push_back(result.objective() == Objective::energy ? c.minibatch_j() / batch : c.power_w);
  }
  result.front = pareto_front(cost, time);
}

}  // namespace

WorkloadTable measured_rows(const Profiler& profiler, std::span<const Observation> profiled) {
  WorkloadTable rows = empty_table(role_of(profiler.info()), profiler.space());
  rows.accepted = profiler.info().accepted;
  for (const Observation& trial : profiled)
    if (!trial.measurement.failed())
      rows.add(profiler.space().row(trial.config), trial.measurement.minibatch_ms,
               trial.measurement.power_w().value_or(not_known), trial.measurement.provenance);
  return rows;
}

Result<std::unique_ptr<Predictor>> fit_profiled(const Profiler& profiler,
                                                const SessionOptions& options,
                                                std::span<const Observation> profiled,
                                                std::span<const size_t> left_out) {
  FLYBALL_ASSIGN(auto predictor, make_predictor(options.predictor));
  MeasuredConfigs readings = measured_configs(profiled);
  for (size_t config : left_out) readings.erase(config);
  const auto configs = some_of(configs_of(readings), most_fitted, options.seed);
  const std::set<size_t> wanted(configs.begin(), configs.end());
  std::vector<Observation> kept;
  for (const Observation& trial : profiled)
    if (wanted.contains(trial.config)) kept.push_back(trial);
  WorkloadTable rows = measured_rows(profiler, kept);
  if (!options.priors.empty()) rows.prior = options.priors.front();
  FLYBALL_CHECK(predictor->fit(rows, options.references, {options.seed}));
  return predictor;
}

Status read_all(Profiler& table, TuneResult& result) {
  result.configurations.clear();
  for (size_t i = 0; i < result.space.size(); ++i) {
    FLYBALL_ASSIGN(const Measurement row, table.measure(i));
    const Measurement* readings[] = {&row};
    result.configurations.push_back(pooled(readings));
  }
  find_front(result);
  return {};
}

Status predict_rest(const Profiler& profiler, TuneResult& result,
                    std::span<const size_t> failures) {
  const Configuration nothing{
      not_known, not_known, not_known, not_known, not_known, not_known, Provenance::predicted};
  result.configurations.assign(result.space.size(), nothing);
  const MeasuredConfigs measured = measured_configs(result.profiled);
  if (!measured.empty() && measured.size() < result.space.size()) {
    FLYBALL_CHECK(predict_all(profiler, measured, result));
    FLYBALL_CHECK(hold_out(profiler, measured, result));
  }
  for (const size_t config : failures) result.configurations[config] = nothing;
  for (const Observation& trial : result.profiled)
    if (trial.measurement.failed()) result.configurations[trial.config] = nothing;
  for (const auto& [config, repeats] : measured) result.configurations[config] = pooled(repeats);
  if (!failures.empty() && !measured.empty())
    result.notes.push_back(
        fmt::format("nothing is predicted of {} that {} likely to fail as trials did",
                    failures.size() == 1 ? "one configuration"
                                         : fmt::format("{} configurations", failures.size()),
                    failures.size() == 1 ? "is" : "are"));
  find_front(result);
  return {};
}

}  // namespace flyball
