#include "predictors/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/csv.h"
#include "base/statistics.h"
#include "base/text.h"
#include "predict/outside.h"
#include "predict/rows.h"
#include "predictors/registry.h"
#include "space/estimate.h"

namespace flyball {
namespace {

constexpr double disagreement = 0.1;  // of repeats, worth telling

using Row = std::vector<double>;

std::vector<size_t> columns_of(const Space& space, Scope scope) {
  std::vector<size_t> columns;
  for (size_t d = 0; d < space.dimensions(); ++d)
    if (space.axes()[d].scope == scope) columns.push_back(d);
  return columns;
}

std::vector<Row> distinct(const Space& space, const std::vector<size_t>& columns) {
  std::set<Row> seen;
  std::vector<Row> rows;
  for (size_t i = 0; i < space.size(); ++i) {
    Row row = pick(space.row(i), columns);
    if (seen.insert(row).second) rows.push_back(std::move(row));
  }
  return rows;
}

// Those of what was measured; of nothing, every combination that the axes name.
std::vector<Row> run_settings(const Space& measured, const std::vector<size_t>& run) {
  if (!measured.empty()) return distinct(measured, run);
  std::vector<Axis> axes;
  for (size_t d : run) axes.push_back(measured.axes()[d]);
  const Space named = Space::grid(std::move(axes));
  std::vector<Row> rows;
  for (size_t i = 0; i < named.size(); ++i) {
    const auto row = named.row(i);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

Error outside(const WorkloadTable& measured, size_t config, const Space& modes,
              const std::vector<size_t>& board) {
  const auto distance = [&](size_t mode) {
    double sum = 0;
    for (size_t d : board) {
      const double a = measured.space.row(config)[d], b = modes.row(mode)[d];
      sum += std::pow((a - b) / std::max({std::abs(a), std::abs(b), 1e-9}), 2);
    }
    return sum;
  };
  size_t nearest = 0;
  for (size_t mode = 1; mode < modes.size(); ++mode)
    if (distance(mode) < distance(nearest)) nearest = mode;
  return {Code::invalid_argument,
          fmt::format("{} was measured at {}, which is no mode of the board", measured.workload,
                      describe(measured.space.settings(config))),
          fmt::format("the nearest is {}; give clocks as the board has them",
                      describe(modes.settings(nearest)))};
}

// Of none nothing is known.
Estimate of_repeats(const std::vector<double>& values) {
  std::vector<NoisyReading> readings;
  for (const double value : values) readings.push_back({value});
  return pooled(readings, Provenance::measured);
}

struct Repeats {
  std::vector<double> times, powers;
};

// The rows of each configuration.
std::map<size_t, std::vector<size_t>> rows_by_config(const WorkloadTable& measured,
                                                     const Space& space) {
  std::map<size_t, std::vector<size_t>> rows;
  for (size_t i = 0; i < measured.size(); ++i)
    if (const auto config = space.find(measured.space.row(i))) rows[*config].push_back(i);
  return rows;
}

// Puts what was measured in the place of what was predicted.
void keep_measured(const WorkloadTable& measured, CompletedTable& all) {
  std::map<size_t, Repeats> rows;
  for (const auto& [config, repeats] : rows_by_config(measured, all.table.space)) {
    const KnownRows known = best_known(measured, repeats);
    all.table.provenance[config] = known.provenance;
    for (size_t i : known.rows) {
      rows[config].times.push_back(measured.minibatch_ms[i]);
      if (!std::isnan(measured.power_w[i])) rows[config].powers.push_back(measured.power_w[i]);
    }
  }
  size_t disagree = 0, without_power = 0;
  double most = 0;
  for (const auto& [config, repeats] : rows) {
    const Estimate time = of_repeats(repeats.times);
    all.table.minibatch_ms[config] = time.value;
    all.time_lo90[config] = time.low;
    all.time_hi90[config] = time.high;
    all.extrapolated[config] = false;
    // A prediction must not stand where the row says measured.
    without_power += repeats.powers.empty() && !std::isnan(all.table.power_w[config]);
    const Estimate power = of_repeats(repeats.powers);
    all.table.power_w[config] = power.value;
    all.power_lo90[config] = power.low;
    all.power_hi90[config] = power.high;
    const auto [low, high] = std::ranges::minmax_element(repeats.times);
    const double gap = (*high - *low) / time.value;
    disagree += gap > disagreement;
    most = std::max(most, gap);
  }
  all.profiled = rows.size();
  if (without_power > 0)
    all.notes.push_back(
        fmt::format("of {} profiled configuration{} no power was read, and none is given there",
                    without_power, without_power == 1 ? "" : "s"));
  if (disagree > 0)
    all.notes.push_back(
        fmt::format("repeats of {} configuration{} disagree by more than {:.0f} % in time (up to "
                    "{:.0f} %); their medians stand",
                    disagree, disagree == 1 ? "" : "s", 100 * disagreement, 100 * most));
}

std::string field(double value) {
  return std::isnan(value) ? "" : format_number(value);
}

}  // namespace

Result<Space> open_modes(const WorkloadTable& measured, std::span<const Space> known) {
  const auto board = columns_of(measured.space, Scope::board);
  const auto run = columns_of(measured.space, Scope::run);
  std::vector<Axis> axes;
  for (size_t d : board) axes.push_back(measured.space.axes()[d]);
  std::set<Row> seen;
  std::vector<Row> modes;
  for (const Space& space : known) {
    const auto columns = match_axes(space, axes);
    if (!columns) continue;
    for (Row& mode : distinct(space, *columns))
      if (seen.insert(mode).second) modes.push_back(std::move(mode));
  }
  std::vector<Axis> empty = measured.space.axes();
  for (Axis& axis : empty) axis.values.clear();
  Space opened(std::move(empty));
  for (const Row& settings : run_settings(measured.space, run))
    for (const Row& mode : modes) {
      Row row(measured.space.dimensions());
      for (size_t k = 0; k < board.size(); ++k) row[board[k]] = mode[k];
      for (size_t k = 0; k < run.size(); ++k) row[run[k]] = settings[k];
      opened.add(row);
    }
  if (opened.empty())
    return Error{Code::invalid_argument,
                 fmt::format("no modes are known that {} could be predicted in", measured.title()),
                 "name a table that lists them: --device table:FILE or --reference FILE"};
  for (size_t i = 0; i < measured.size(); ++i)
    if (!opened.find(measured.space.row(i))) return outside(measured, i, opened, board);
  return opened;
}

Result<CompletedTable> complete(const WorkloadTable& measured, const Space& space,
                                std::span<const WorkloadTable> references, const std::string& name,
                                const FitOptions& options) {
  FLYBALL_ASSIGN(auto predictor, make_predictor(name));
  FLYBALL_CHECK(predictor->fit(measured, references, options));
  FLYBALL_ASSIGN(Prediction prediction, predictor->predict(space));
  widen_outside(measured.space, space, prediction);
  CompletedTable all;
  all.table = measured;
  all.table.space = space;
  all.table.minibatch_ms = std::move(prediction.minibatch_ms.mean);
  all.time_lo90 = std::move(prediction.minibatch_ms.lo90);
  all.time_hi90 = std::move(prediction.minibatch_ms.hi90);
  all.table.power_w = std::move(prediction.power_w.mean);
  all.power_lo90 = std::move(prediction.power_w.lo90);
  all.power_hi90 = std::move(prediction.power_w.hi90);
  for (auto* powers : {&all.table.power_w, &all.power_lo90, &all.power_hi90})
    powers->resize(space.size(), not_known);
  all.extrapolated = std::move(prediction.extrapolated);
  all.table.provenance.assign(space.size(), Provenance::predicted);
  all.notes = std::move(prediction.notes);
  keep_measured(measured, all);
  if (!all.table.has_power()) all.notes.push_back("no power was measured, none is predicted");
  return all;
}

std::string format_completed(const CompletedTable& completed) {
  const WorkloadTable& table = completed.table;
  const bool total = !table.power_total.empty();
  std::vector<std::string> header = {"device", "workload", "phase"};
  for (const Axis& axis : table.space.axes()) header.push_back(axis_title(axis));
  header.insert(header.end(), {"minibatch_ms", "power_w", "minibatch_ms_lo90", "minibatch_ms_hi90",
                               "power_w_lo90", "power_w_hi90", "extrapolated", "provenance"});
  if (total) header.push_back("power_total");
  std::string text = csv_line(header);
  for (size_t i = 0; i < table.size(); ++i) {
    std::vector<std::string> fields = {table.device, table.workload, phase_name(table.phase)};
    for (double value : table.space.row(i)) fields.push_back(format_number(value));
    for (double value : {table.minibatch_ms[i], table.power_w[i], completed.time_lo90[i],
                         completed.time_hi90[i], completed.power_lo90[i], completed.power_hi90[i]})
      fields.push_back(field(value));
    fields.push_back(completed.extrapolated[i] ? "1" : "0");
    fields.push_back(provenance_name(table.provenance[i]));
    if (total) fields.push_back(table.power_total);
    text += csv_line(fields);
  }
  return text;
}

}  // namespace flyball
