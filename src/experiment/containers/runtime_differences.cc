#include "experiment/runtime_differences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/distributions.h"
#include "base/json.h"
#include "base/statistics.h"
#include "experiment/alike.h"

namespace flyball {
namespace {

constexpr int most_repeats = 100'000;

// Half a 90 % interval of a mean.
double half_width(double deviation, int n) {
  return t90(n - 1) * deviation / std::sqrt(n);
}

// So many repeats in all would tell, if mean and deviation stay what they are.
int repeats_that_tell(double mean, double deviation, double margin, int n) {
  const double wanted = std::max(margin - std::abs(mean), std::abs(mean));
  int all = std::max(3, n + 1);
  while (all < most_repeats && half_width(deviation, all) > wanted) all += std::max(1, all / 50);
  return all;
}

double sum_of(const RunFigures& run, const std::function<double(const EpochFigures&)>& figure) {
  double sum = 0;
  for (const EpochFigures& epoch : run.epochs)
    if (epoch.epoch > 0 || run.epochs.size() == 1) sum += figure(epoch);
  return sum;
}

double count(const RunFigures& run) {
  return sum_of(run, [](const EpochFigures&) { return 1; });
}

double minibatches(const RunFigures& run) {
  return sum_of(run, [](const EpochFigures& e) { return static_cast<double>(e.minibatches); });
}

double mean_of(const RunFigures& run, const std::function<double(const EpochFigures&)>& figure) {
  return sum_of(run, figure) / count(run);
}

/// Of a run, over its steady epochs; not positive: it has none.
struct RunFigure {
  const char* name;
  std::function<double(const RunFigures&)> of;
};

RunFigure mean_figure(const char* name, double EpochFigures::*field) {
  return {name, [=](const RunFigures& run) {
            return mean_of(run, [=](const EpochFigures& e) { return e.*field; });
          }};
}

RunFigure mean_figure(const char* name, std::optional<double> EpochFigures::*field) {
  return {name, [=](const RunFigures& run) {
            return mean_of(run, [=](const EpochFigures& e) { return (e.*field).value_or(NAN); });
          }};
}

RunFigure minibatch_figure(const char* name, double EpochFigures::*seconds) {
  return {name, [=](const RunFigures& run) {
            return 1e3 * sum_of(run, [=](const EpochFigures& e) { return e.*seconds; }) /
                   minibatches(run);
          }};
}

RunFigure quantile_figure(const char* name, double quantile) {
  return {name, [=](const RunFigures& run) {
            return mean_of(run, [=](const EpochFigures& e) { return e.minibatch_ms.at(quantile); });
          }};
}

const std::vector<RunFigure>& figures() {
  static const std::vector<RunFigure> all = {
      minibatch_figure("minibatch_ms", &EpochFigures::e2e_s),
      quantile_figure("minibatch_p50_ms", 0.5),
      quantile_figure("minibatch_p95_ms", 0.95),
      minibatch_figure("stall_ms", &EpochFigures::stall_s),
      minibatch_figure("compute_ms", &EpochFigures::compute_s),
      mean_figure("cpu_pct", &EpochFigures::cpu_pct),
      mean_figure("peak_memory_bytes", &EpochFigures::peak_memory_bytes),
      mean_figure("gpu_load_pct", &EpochFigures::gpu_load_pct),
      mean_figure("gpu_memory_bytes", &EpochFigures::gpu_memory_bytes),
      mean_figure("energy_j", &EpochFigures::energy_j)};
  return all;
}

const RunFigures* of_repeat(const Group& group, int repeat) {
  const auto found = std::ranges::find(group.runs, repeat, &RunFigures::repeat);
  return found == group.runs.end() ? nullptr : *found;
}

std::optional<double> start_ms(const Group& group) {
  std::vector<double> starts;
  for (const RunFigures* run : group.runs)
    if (run->start_ms) starts.push_back(*run->start_ms);
  return starts.empty() ? std::nullopt : std::optional(median(starts));
}

RuntimeDifference difference_of(const ExperimentSpec& spec, const Group& group, const Group& bare) {
  RuntimeDifference difference{.others = others_label(spec, {"runtime"}, group.settings),
                               .runtime = group.settings.runtime,
                               .start_ms = start_ms(group),
                               .bare_start_ms = start_ms(bare)};
  for (const RunFigure& figure : figures()) {
    std::vector<double> logs;
    for (const RunFigures* run : group.runs) {
      const RunFigures* beside = of_repeat(bare, run->repeat);
      if (!beside) continue;
      const double ratio = figure.of(*run) / figure.of(*beside);
      if (std::isfinite(ratio) && ratio > 0) logs.push_back(std::log(ratio));
    }
    if (!logs.empty())
      difference.figures.push_back(
          {figure.name, flyball::difference_of(logs, spec.no_difference_pct)});
  }
  return difference;
}

const char* verdict_name(DifferenceVerdict verdict) {
  constexpr std::array names = {"none", "higher", "lower", "unknown"};
  return names[static_cast<size_t>(verdict)];
}

}  // namespace

RelativeDifference difference_of(std::span<const double> log_ratios, double within_pct) {
  RelativeDifference result{.repeats = static_cast<int>(log_ratios.size())};
  if (log_ratios.empty()) return result;
  const auto n = static_cast<double>(log_ratios.size());
  const double mean = std::accumulate(log_ratios.begin(), log_ratios.end(), 0.0) / n;
  result.ratio = std::exp(mean);
  if (log_ratios.size() < 2) return result;
  double squares = 0;
  for (const double one : log_ratios) squares += (one - mean) * (one - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  const double half = half_width(deviation, result.repeats);
  result.low = std::exp(mean - half);
  result.high = std::exp(mean + half);
  const double margin = std::log1p(within_pct / 100);
  if (std::abs(mean) + half <= margin)
    result.verdict = DifferenceVerdict::none;
  else if (mean - half > 0)
    result.verdict = DifferenceVerdict::higher;
  else if (mean + half < 0)
    result.verdict = DifferenceVerdict::lower;
  else
    result.more = repeats_that_tell(mean, deviation, margin, result.repeats) - result.repeats;
  return result;
}

std::vector<RuntimeDifference> runtime_differences(const ExperimentSpec& spec,
                                                   const std::vector<Group>& groups) {
  std::vector<RuntimeDifference> differences;
  for (const std::vector<Group>& alike : alike_but({"runtime"}, groups)) {
    const auto bare =
        std::ranges::find(alike, "bare", [](const Group& g) { return g.settings.runtime; });
    if (bare == alike.end()) continue;
    for (const Group& group : alike)
      if (&group != &*bare) differences.push_back(difference_of(spec, group, *bare));
  }
  return differences;
}

Json runtime_differences_json(const std::vector<RuntimeDifference>& differences) {
  Json list = Json::array();
  for (const RuntimeDifference& one : differences) {
    Json figures = Json::array();
    for (const auto& [figure, d] : one.figures)
      figures.push_back({{"figure", figure},
                         {"ratio", d.ratio},
                         {"ratio_90", {or_null(d.low), or_null(d.high)}},
                         {"repeats", d.repeats},
                         {"difference", verdict_name(d.verdict)},
                         {"more_repeats", or_null(d.more)}});
    list.push_back({{"others", one.others},
                    {"runtime", one.runtime},
                    {"start_ms", or_null(one.start_ms)},
                    {"bare_start_ms", or_null(one.bare_start_ms)},
                    {"figures", std::move(figures)}});
  }
  return list;
}

}  // namespace flyball
