#include "findings/finding_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/distributions.h"
#include "base/statistics.h"
#include "findings/check_words.h"

namespace flyball {
namespace {

constexpr double j_per_mwh = 3.6;
constexpr double below = 0.9;  ///< of the highest clock: DVFS is off from there on

using EpochReader = std::function<std::optional<double>(const EpochFigures&)>;

std::optional<double> times(const std::optional<double>& value, double factor) {
  return value ? std::optional<double>(*value * factor) : std::nullopt;
}

/// What one epoch tells of each figure.
const std::map<std::string, EpochReader>& readers() {
  using E = const EpochFigures&;
  static const std::map<std::string, EpochReader> all = {
      {"stall_s", [](E e) { return e.stall_s; }},
      {"compute_s", [](E e) { return e.compute_s; }},
      {"e2e_s", [](E e) { return e.e2e_s; }},
      {"stall_ms", [](E e) { return 1e3 * e.stall_s / static_cast<double>(e.minibatches); }},
      {"compute_ms", [](E e) { return 1e3 * e.compute_s / static_cast<double>(e.minibatches); }},
      {"stall_pct", [](E e) { return 100 * e.stall_s / e.e2e_s; }},
      {"cached_pct", [](E e) { return times(e.cached_before, 100); }},
      {"gpu_pct", [](E e) { return e.gpu_load_pct; }},
      {"gpu_mhz", [](E e) { return e.gpu_mhz; }},
      {"energy_mwh", [](E e) { return times(e.energy_j, 1 / j_per_mwh); }},
      {"power_w", [](E e) { return e.power_w; }},
      {"plug_w", [](E e) { return e.power_w; }}};
  return all;
}

Error not_told(const RunFigures& run, const std::string& name) {
  const bool watts = name == "energy_mwh" || name == "power_w" || name == "base_pct";
  return {Code::unavailable,
          watts && !run.power_gap.empty()
              ? run.power_gap
              : fmt::format("its runs do not tell: {}", figure_words(name)),
          ""};
}

/// The mean, with Student's t over the epochs; of one epoch no bounds are known.
FigureOverEpochs mean_figure(const std::vector<double>& values, Provenance provenance) {
  const auto n = static_cast<double>(values.size());
  Estimate estimate{.value = mean(values), .provenance = provenance};
  if (values.size() < 2) return {estimate, values.size()};
  const double half = t90(n - 1) * standard_deviation(values) / std::sqrt(n);
  estimate.low = estimate.value - half;
  estimate.high = estimate.value + half;
  return {estimate, values.size()};
}

/// The share of the time that the CPU was below its highest clock, over the whole run: the mean
/// over clusters, each of which has its own.
Result<FigureOverEpochs> share_below(const RunFigures& run, const RunSource& source) {
  std::vector<double> shares;
  for (const ClockResidency& clock : run.residency) {
    if (!clock.clock.starts_with("cpu") || clock.values.empty()) continue;
    const double highest = source.highest_cpu_mhz().value_or(clock.values.back().mhz);
    shares.push_back(100 * clock.below(below * highest));
  }
  if (shares.empty()) return not_told(run, "cpu_below_pct");
  return FigureOverEpochs{{.value = mean(shares), .provenance = source.provenance()}};
}

/// Of a state without training all there is, of a training the first epoch or the later ones.
Result<FigureOverEpochs> figure_of(const RunFigures& run, const FindingSetting& setting,
                                   const std::string& name, const RunSource& source) {
  if (name == "cpu_below_pct") return share_below(run, source);
  if (name == "plug_w" && run.power_total != "plug")
    return Error{Code::unavailable, "no meter at the wall was read", ""};
  const auto reader = readers().find(name);
  if (reader == readers().end()) return not_told(run, name);
  std::vector<double> values;
  for (const EpochFigures& epoch : run.epochs) {
    const bool counts = !setting.state.empty() || (epoch.epoch == 0) == setting.first;
    if (!counts) continue;
    const auto value = reader->second(epoch);
    if (!value || std::isnan(*value)) return not_told(run, name);
    values.push_back(*value);
  }
  if (values.empty()) return Error{Code::unavailable, "it has no such epoch", ""};
  return mean_figure(values, source.provenance());
}

}  // namespace

RunSource* FindingRuns::find(const std::string& board) const {
  const auto found = std::ranges::find(sources_, board, &RunSource::board);
  return found == sources_.end() ? nullptr : *found;
}

Result<RunFigures> FindingRuns::run(const FindingSetting& setting) const {
  RunSource* source = find(setting.board);
  if (!source) return Error{Code::unavailable, setting.board + " is not asked", ""};
  return source->run(run_of(setting));
}

Result<FigureOverEpochs> FindingRuns::figure(const FindingSetting& setting,
                                             const std::string& name) const {
  FLYBALL_ASSIGN(const RunFigures run, this->run(setting));
  const RunSource& source = *find(setting.board);
  if (name != "base_pct") return figure_of(run, setting, name, source);
  FLYBALL_ASSIGN(const FigureOverEpochs training, figure_of(run, setting, "power_w", source));
  FindingSetting rest = setting;
  rest.state = state_at_rest;
  FLYBALL_ASSIGN(const RunFigures idle, this->run(rest));
  FLYBALL_ASSIGN(const FigureOverEpochs at_rest, figure_of(idle, rest, "power_w", source));
  const Estimate &power = training.mean, &base = at_rest.mean;
  return FigureOverEpochs{{.value = 100 * base.value / power.value,
                           .low = 100 * base.value / power.high,
                           .high = 100 * base.value / power.low,
                           .provenance = source.provenance()},
                          training.epochs};
}

}  // namespace flyball
