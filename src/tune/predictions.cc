#include "tune/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/interrupt.h"
#include "base/random.h"
#include "base/statistics.h"
#include "predict/registry.h"
#include "space/pareto.h"
#include "tune/request.h"

namespace flyball {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double contradiction_limit = 0.08;
constexpr size_t rows_that_expect = 5;  // fewer let expect nothing
constexpr size_t most_fitted = 400;     // configurations; more tell little and take minutes
constexpr size_t most_held_out = 30;

Configuration at(const Prediction& prediction, size_t i) {
  Configuration c;
  c.minibatch_ms = prediction.minibatch_ms.mean[i];
  c.time_lo = prediction.minibatch_ms.lo90[i];
  c.time_hi = prediction.minibatch_ms.hi90[i];
  c.power_w = c.power_lo = c.power_hi = unknown;
  if (!prediction.power_w.mean.empty()) {
    c.power_w = prediction.power_w.mean[i];
    c.power_lo = prediction.power_w.lo90[i];
    c.power_hi = prediction.power_w.hi90[i];
  }
  return c;
}

// Repeats count as one: their median, and the noise of the quietest.
Configuration measured_at(std::span<const Measurement* const> repeats) {
  std::vector<double> times, powers, time_noise, power_noise;
  for (const Measurement* m : repeats) {
    times.push_back(m->minibatch_ms);
    time_noise.push_back(m->noise);
    if (!m->power) continue;
    powers.push_back(m->power->mean_w);
    power_noise.push_back(m->power->noise);
  }
  Configuration c;
  c.provenance = repeats.front()->provenance;
  c.minibatch_ms = median(times);
  const double time_spread = 1.645 * median(time_noise);
  c.time_lo = c.minibatch_ms * (1 - time_spread);
  c.time_hi = c.minibatch_ms * (1 + time_spread);
  c.power_w = powers.empty() ? unknown : median(powers);
  const double power_spread = powers.empty() ? 0 : 1.645 * median(power_noise);
  c.power_lo = c.power_w * (1 - power_spread);
  c.power_hi = c.power_w * (1 + power_spread);
  return c;
}

bool is_cheap(const std::string& predictor) {
  return predictor.find("nn") == std::string::npos;
}

Space one_row(const Space& space, size_t config) {
  return space.subset(std::array{config});
}

using Readings = std::map<size_t, std::vector<const Measurement*>>;

// Those that did not fail, by configuration.
Readings readings_of(std::span<const Profiled> profiled) {
  Readings readings;
  for (const Profiled& trial : profiled)
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

std::vector<size_t> configs_of(const Readings& readings) {
  std::vector<size_t> configs;
  for (const auto& [config, measured] : readings) configs.push_back(config);
  return configs;
}

Status check_interrupt() {
  if (!interrupt_flag().load()) return {};
  return Error{Code::interrupted, "interrupted", ""};
}

// Profiled configurations predicted without their own readings: how far to believe the rest.
// Where there are hundreds, a few are left out together: the model hardly misses them.
Status hold_out(const Profiler& profiler, const Readings& measured, TuneResult& result) {
  if (!is_cheap(result.request.predictor)) return {};
  const auto configs = some_of(configs_of(measured), most_held_out, result.request.seed);
  const size_t together = std::max<size_t>(1, measured.size() / 50);
  for (size_t first = 0; first < configs.size(); first += together) {
    FLYBALL_CHECK(check_interrupt());
    const auto part = std::span(configs).subspan(first, std::min(together, configs.size() - first));
    const auto model = fit_profiled(profiler, result.request, result.profiled, part);
    if (!model) continue;
    const auto prediction = (*model)->predict(result.space.subset(part));
    if (!prediction) continue;
    for (size_t i = 0; i < part.size(); ++i)
      result.held_out.push_back({part[i], at(*prediction, i)});
  }
  return {};
}

// Predicts every configuration; what was measured takes its place later.
Status predict_all(const Profiler& profiler, size_t measured, TuneResult& result) {
  FLYBALL_CHECK(check_interrupt());
  const auto model = fit_profiled(profiler, result.request, result.profiled);
  const auto prediction = model ? (*model)->predict(result.space) : model.error();
  if (!prediction) {
    result.notes.push_back("nothing was predicted: " + prediction.error().message);
    return {};
  }
  for (size_t i = 0; i < result.space.size(); ++i) result.configurations[i] = at(*prediction, i);
  result.notes.insert(result.notes.end(), prediction->notes.begin(), prediction->notes.end());
  if (measured > most_fitted)
    result.notes.push_back(fmt::format("predictions are fitted on {} of {} profiled configurations",
                                       most_fitted, measured));
  return {};
}

void find_front(const Profiler& profiler, TuneResult& result) {
  std::vector<double> cost, time;
  for (size_t i = 0; i < result.configurations.size(); ++i) {
    const Configuration& c = result.configurations[i];
    const double batch = std::max(1.0, batch_size_of(profiler, i));
    time.push_back(c.minibatch_ms / batch);
    cost.push_back(result.request.objective == Objective::energy ? c.minibatch_j() / batch
                                                                 : c.power_w);
  }
  result.front = pareto_front(cost, time);
}

}  // namespace

WorkloadTable measured_rows(const Profiler& profiler, std::span<const Profiled> profiled) {
  WorkloadTable rows;
  rows.device = profiler.info().device;
  rows.workload = profiler.info().workload;
  rows.phase = profiler.info().phase;
  rows.power_total = profiler.info().power_total;
  rows.accepted = profiler.info().accepted;
  std::vector<Axis> axes = profiler.space().axes();
  for (Axis& axis : axes) axis.values.clear();
  rows.space = Space(std::move(axes));
  for (const Profiled& trial : profiled)
    if (!trial.measurement.failed())
      rows.add(profiler.space().row(trial.config), trial.measurement.minibatch_ms,
               trial.measurement.power_w().value_or(unknown), trial.measurement.provenance);
  return rows;
}

Result<std::unique_ptr<Predictor>> fit_profiled(const Profiler& profiler,
                                                const TuneRequest& request,
                                                std::span<const Profiled> profiled,
                                                std::span<const size_t> left_out) {
  FLYBALL_ASSIGN(auto predictor, make_predictor(request.predictor));
  Readings readings = readings_of(profiled);
  for (size_t config : left_out) readings.erase(config);
  const auto configs = some_of(configs_of(readings), most_fitted, request.seed);
  const std::set<size_t> wanted(configs.begin(), configs.end());
  std::vector<Profiled> kept;
  for (const Profiled& trial : profiled)
    if (wanted.contains(trial.config)) kept.push_back(trial);
  FLYBALL_CHECK(predictor->fit(measured_rows(profiler, kept), request.references, {request.seed}));
  return predictor;
}

Status predict_rest(const Profiler& profiler, TuneResult& result) {
  Configuration nothing{
      unknown, unknown, unknown, unknown, unknown, unknown, Provenance::predicted};
  result.configurations.assign(result.space.size(), nothing);
  const Readings measured = readings_of(result.profiled);
  if (measured.size() < result.space.size()) {
    FLYBALL_CHECK(predict_all(profiler, measured.size(), result));
    FLYBALL_CHECK(hold_out(profiler, measured, result));
  }
  for (const auto& [config, repeats] : measured)
    result.configurations[config] = measured_at(repeats);
  find_front(profiler, result);
  return {};
}

std::optional<std::string> contradiction(const Profiler& profiler, const TuneRequest& request,
                                         std::span<const Profiled> profiled,
                                         const Profiled& fresh) {
  std::map<size_t, bool> others;
  for (const Profiled& trial : profiled)
    if (trial.config != fresh.config && !trial.measurement.failed()) others[trial.config] = true;
  if (others.size() < rows_that_expect || !is_cheap(request.predictor)) return {};
  const auto model = fit_profiled(profiler, request, profiled, std::array{fresh.config});
  if (!model) return {};
  const auto prediction = (*model)->predict(one_row(profiler.space(), fresh.config));
  if (!prediction) return {};
  const auto off = [](double value, const Estimates& expected) {
    return std::abs(value / expected.mean[0] - 1) > contradiction_limit &&
           (value < expected.lo90[0] || value > expected.hi90[0]);
  };
  const Measurement& m = fresh.measurement;
  if (off(m.minibatch_ms, prediction->minibatch_ms))
    return fmt::format("{:.3g} ms where its neighbours let expect {:.3g} ms", m.minibatch_ms,
                       prediction->minibatch_ms.mean[0]);
  if (m.power && !prediction->power_w.mean.empty() && off(m.power->mean_w, prediction->power_w))
    return fmt::format("{:.3g} W where its neighbours let expect {:.3g} W", m.power->mean_w,
                       prediction->power_w.mean[0]);
  return {};
}

}  // namespace flyball
