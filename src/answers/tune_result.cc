#include "answers/tune_result.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "answers/per_text.h"
#include "base/figure.h"
#include "base/statistics.h"
#include "base/units.h"
#include "problem/problem.h"

namespace flyball {

Figures figures_of(const TuneResult& result, size_t config) {
  std::map<std::string, std::vector<double>> values;
  for (const Observation& trial : result.profiled)
    if (trial.config == config && !trial.measurement.failed())
      for (const auto& [name, value] : trial.measurement.figures) values[name].push_back(value);
  Figures figures;
  for (const auto& [name, all] : values) figures[name] = median(all);
  return figures;
}

const char* per_name(Per per) {
  return per == Per::run ? "run" : per == Per::sample ? "sample" : "minibatch";
}

double TuneResult::batch_size(size_t config) const {
  if (per == Per::run) return 0;
  if (const auto axis = space.axis_index(axis::batch_size)) return space.row(config)[*axis];
  const auto fixed = board().job.find(axis::batch_size);
  return fixed == board().job.end() ? 0 : fixed->second;
}

double TuneResult::minibatches_per_epoch(size_t config) const {
  const double batch = batch_size(config);
  return samples > 0 && batch > 0 ? std::ceil(samples / batch) : 0;
}

double TuneResult::samples_of(size_t config) const {
  const double batch = batch_size(config);
  return batch > 0 ? samples_per_minibatch(batch, samples) : std::nan("");
}

std::vector<const Measurement*> TuneResult::readings(size_t config) const {
  std::vector<const Measurement*> all;
  for (const Observation& trial : profiled)
    if (trial.config == config && !trial.measurement.failed()) all.push_back(&trial.measurement);
  return all;
}

namespace {

/// As people write it where that says all of it: "2 h 5 min", else "5399.5 s".
std::string budget_text(double seconds) {
  const double step = seconds < 3600 ? 1 : 60;  // what is shown of it
  const bool whole = seconds >= 60 && std::fmod(seconds, step) == 0;
  if (whole) return format_seconds({seconds});
  return seconds < 1 ? as_typed(seconds * 1e3) + " ms" : as_typed(seconds) + " s";
}

}  // namespace

std::string describe(const TuneResult& result) {
  const Request& request = result.request;
  const std::string &span = result.budget_span, figure = served_figure(result.board());
  std::string text = "objective " + (figure.empty() ? objective_name(result.objective()) : figure);
  if (request.power_budget_w != unlimited)
    text += fmt::format(", power ≤ {} W", as_typed(request.power_budget_w));
  if (request.time_budget_s != unlimited)
    text += fmt::format(", {} ≤ {}", span, budget_text(request.time_budget_s));
  if (request.energy_budget_j != unlimited)
    text += fmt::format(", energy of {} {} ≤ {} J", span == "epoch" ? "an" : "a", span,
                        as_typed(request.energy_budget_j));
  if (request.slowdown != unlimited) text += ", " + slowdown_text(request.slowdown);
  for (const FigureLimit& limit : request.limits) text += ", " + limit.text();
  if (request.gap > 0) text += fmt::format(", until a gap of {:g} %", 100 * request.gap);
  if (request.time_limit_s != unlimited)
    text += fmt::format(", for {}", format_seconds({request.time_limit_s}));
  return text;
}

}  // namespace flyball
