#include "evaluate/predict_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "evaluate/floor.h"
#include "predictors/registry.h"

namespace flyball {
namespace {

struct FigureScore {
  double mape = not_known, mdape = not_known, coverage90 = not_known, width90 = not_known;
};

struct PredictScore {
  FigureScore time, power;
  double extrapolated = 0, fit_s = 0, predict_s = 0;
  std::vector<std::string> notes;
  std::optional<Error> error;
};

FigureScore score_figure(const Estimates& predicted, const std::vector<double>& truth) {
  FigureScore score;
  if (predicted.mean.empty()) return score;
  std::vector<double> errors, widths;
  double inside = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (!std::isfinite(truth[i])) continue;
    errors.push_back(100 * std::abs(predicted.mean[i] / truth[i] - 1));
    widths.push_back(100 * (predicted.hi90[i] - predicted.lo90[i]) / predicted.mean[i]);
    inside += truth[i] >= predicted.lo90[i] && truth[i] <= predicted.hi90[i];
  }
  if (errors.empty()) return score;
  return {mean(errors), median(errors), inside / static_cast<double>(errors.size()),
          median(widths)};
}

PredictScore predict_once(const std::string& name, const WorkloadTable& truth,
                          const std::vector<WorkloadTable>& references,
                          std::span<const size_t> profiled, uint64_t seed) {
  PredictScore score;
  auto predictor = make_predictor(name);
  if (!predictor) return score.error = predictor.error(), score;
  const WorkloadTable measured = take_rows(truth, profiled);
  const Stopwatch fitting;
  const Status fitted = (*predictor)->fit(measured, references, {seed});
  score.fit_s = fitting.seconds();
  if (!fitted.ok()) return score.error = fitted.error(), score;
  const Stopwatch predicting;
  const auto prediction = (*predictor)->predict(truth.space);
  score.predict_s = predicting.seconds();
  if (!prediction) return score.error = prediction.error(), score;
  score.time = score_figure(prediction->minibatch_ms, truth.minibatch_ms);
  score.power = score_figure(prediction->power_w, truth.power_w);
  score.extrapolated = static_cast<double>(std::ranges::count(prediction->extrapolated, true)) /
                       static_cast<double>(std::max<size_t>(1, truth.size()));
  score.notes = prediction->notes;
  return score;
}

// One cell of the sweep: a design with a number of modes, and what it profiles in each run.
struct Cell {
  std::string design;
  size_t modes = 0;
  std::vector<std::vector<size_t>> profiled;
};

Result<std::vector<Cell>> choose_cells(const PredictEvaluation& evaluation,
                                       const WorkloadTable& truth) {
  std::vector<Cell> cells;
  for (const std::string& design : evaluation.designs)
    for (size_t modes : evaluation.modes) cells.push_back({design, modes, {}});
  std::vector<std::optional<Error>> errors(cells.size() * evaluation.runs);
  for (Cell& cell : cells) cell.profiled.resize(evaluation.runs);
  parallel_for(
      errors.size(),
      [&](size_t i) {
        Cell& cell = cells[i / evaluation.runs];
        const size_t run = i % evaluation.runs;
        if (cell.modes == 0) return;  // nothing is profiled, references alone speak
        auto chosen = evaluation.choose_modes(truth, cell.design, cell.modes, run);
        if (!chosen)
          errors[i] = chosen.error();
        else
          cell.profiled[run] = *std::move(chosen);
      },
      evaluation.threads);
  for (auto& error : errors)
    if (error) return *std::move(error);
  return cells;
}

PredictRow summarise(const std::string& predictor, const Cell& cell,
                     std::span<const PredictScore> scores) {
  PredictRow row;
  row.predictor = predictor;
  row.design = cell.design;
  row.modes = cell.modes;
  row.runs = scores.size();
  for (const PredictScore& score : scores)
    if (score.error) {
      row.error = score.error->message;
      return row;
    }
  const auto over = [&](auto value) {
    std::vector<double> values;
    for (const PredictScore& score : scores)
      if (std::isfinite(value(score))) values.push_back(value(score));
    return values.empty() ? Quartiles{not_known, not_known, not_known} : quartiles(values);
  };
  row.time_mape = over([](const PredictScore& s) { return s.time.mape; });
  row.power_mape = over([](const PredictScore& s) { return s.power.mape; });
  row.time_mdape = over([](const PredictScore& s) { return s.time.mdape; }).median;
  row.power_mdape = over([](const PredictScore& s) { return s.power.mdape; }).median;
  row.time_coverage90 = over([](const PredictScore& s) { return s.time.coverage90; }).median;
  row.power_coverage90 = over([](const PredictScore& s) { return s.power.coverage90; }).median;
  row.time_width90 = over([](const PredictScore& s) { return s.time.width90; }).median;
  row.power_width90 = over([](const PredictScore& s) { return s.power.width90; }).median;
  row.extrapolated = over([](const PredictScore& s) { return s.extrapolated; }).median;
  row.fit_s = over([](const PredictScore& s) { return s.fit_s; }).median;
  row.predict_s = over([](const PredictScore& s) { return s.predict_s; }).median;
  row.notes = scores.front().notes;
  return row;
}

PredictRow floor_row(const Floor& floor, size_t rows) {
  PredictRow row;
  row.predictor = "floor";
  row.design = "10-fold";
  row.modes = rows - rows / 10;
  row.runs = floor.time_mape.size();
  row.time_mape = quartiles(floor.time_mape);
  row.time_mdape = median(floor.time_mdape);
  row.power_mape = {not_known, not_known, not_known};
  row.power_mdape = not_known;
  if (!floor.power_mape.empty()) {
    row.power_mape = quartiles(floor.power_mape);
    row.power_mdape = median(floor.power_mdape);
  }
  row.time_coverage90 = row.power_coverage90 = row.time_width90 = row.power_width90 = not_known;
  row.fit_s = floor.fit_s;
  row.predict_s = floor.predict_s;
  return row;
}

Json quartiles_json(const Quartiles& q) {
  return {{"median", or_null(q.median)}, {"q1", or_null(q.q1)}, {"q3", or_null(q.q3)}};
}

Json row_json(const PredictRow& row) {
  PredictRow shown = row;
  if (!row.error.empty()) {  // a failed row has no figures
    shown = {row.predictor,
             row.design,
             row.modes,
             row.runs,
             {not_known, not_known, not_known},
             {not_known, not_known, not_known},
             not_known,
             not_known,
             not_known,
             not_known,
             not_known,
             not_known,
             not_known,
             not_known,
             not_known,
             {},
             row.error};
  }
  return {{"predictor", shown.predictor},
          {"design", shown.design},
          {"modes", shown.modes},
          {"runs", shown.runs},
          {"time_mape", quartiles_json(shown.time_mape)},
          {"power_mape", quartiles_json(shown.power_mape)},
          {"time_mdape", or_null(shown.time_mdape)},
          {"power_mdape", or_null(shown.power_mdape)},
          {"time_coverage90", or_null(shown.time_coverage90)},
          {"power_coverage90", or_null(shown.power_coverage90)},
          {"time_width90", or_null(shown.time_width90)},
          {"power_width90", or_null(shown.power_width90)},
          {"extrapolated", or_null(shown.extrapolated)},
          {"fit_s", or_null(shown.fit_s)},
          {"predict_s", or_null(shown.predict_s)},
          {"notes", shown.notes},
          {"error", shown.error.empty() ? Json(nullptr) : Json(shown.error)}};
}

Status check(const PredictEvaluation& evaluation) {
  const auto missing = [](const std::string& what, const std::string& hint) {
    return Error{Code::invalid_argument, what, hint};
  };
  if (evaluation.predictors.empty())
    return missing("no predictor is named", "give --predictor with names");
  if (evaluation.modes.empty() || evaluation.runs == 0)
    return missing("nothing to evaluate", "give at least one number of modes and one run");
  return evaluation.check_predictors();
}

}  // namespace

Result<PredictReport> evaluate_predict(const PredictEvaluation& evaluation) {
  FLYBALL_CHECK(check(evaluation));
  const WorkloadTable truth = merge_repeats(evaluation.target);
  PredictReport report;
  report.target = truth.title();
  report.has_power = truth.has_power();
  report.configurations = truth.size();
  report.repeats = evaluation.target.size() - truth.size();
  for (const WorkloadTable& reference : evaluation.references)
    report.references.push_back(reference.title());
  FLYBALL_ASSIGN(const std::vector<Cell> cells, choose_cells(evaluation, truth));

  const size_t predictors = evaluation.predictors.size(), runs = evaluation.runs;
  const auto scores = evaluation.score_all(cells.size() * predictors * runs, [&](size_t i) {
    const size_t run = i % runs;
    return predict_once(evaluation.predictors[i / runs % predictors], truth, evaluation.references,
                        cells[i / (predictors * runs)].profiled[run],
                        mix_seed(evaluation.seed, run));
  });
  bool any = false;
  for (size_t p = 0; p < predictors; ++p)
    for (size_t c = 0; c < cells.size(); ++c) {
      report.rows.push_back(
          summarise(evaluation.predictors[p], cells[c],
                    std::span(scores).subspan((c * predictors + p) * runs, runs)));
      any = any || report.rows.back().error.empty();
    }
  if (!any)
    for (const PredictScore& score : scores)
      if (score.error) return *score.error;
  if (evaluation.floor) {
    FLYBALL_ASSIGN(const Floor floor, noise_floor(truth, evaluation.seed, evaluation.threads));
    report.rows.push_back(floor_row(floor, truth.size()));
  }
  return report;
}

Json to_json(const PredictReport& report) {
  Json rows = Json::array();
  for (const PredictRow& row : report.rows) rows.push_back(row_json(row));
  return {{"target", report.target},
          {"configurations", report.configurations},
          {"repeats", report.repeats},
          {"references", report.references},
          {"rows", rows}};
}

}  // namespace flyball
