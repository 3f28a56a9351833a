#include "findings/table_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluate/predict_eval.h"
#include "evaluate/search_sweep.h"
#include "findings/check_words.h"
#include "profile/trials/chosen_modes.h"
#include "profile/trials/drawn_table.h"
#include "profile/trials/twin_profiler.h"
#include "roofs/energy_cases.h"

namespace flyball {
namespace {

constexpr size_t prediction_runs = 3;
constexpr size_t least_modes = 180;  ///< as PowerTrain profiled of Orin Nano, drawn by a seed

Result<double> known(double value, const TableQuestion& question) {
  if (std::isfinite(value)) return value;
  return Error{Code::unavailable,
               fmt::format("its table does not tell: {}", figure_words(question.figure)), ""};
}

Result<WorkloadTable> draw(const Board& board, const std::string& workload, Phase phase,
                           const ModeChoice& choice) {
  FLYBALL_ASSIGN(TwinWorkload known, known_twin_workload(workload, phase));
  FLYBALL_ASSIGN(auto all, make_twin_profiler(board, std::move(known), {}));
  FLYBALL_ASSIGN(const auto profiler, with_modes(std::move(all), choice));
  return draw_table(*profiler);
}

/// The case of the batch size that is asked, or of the only one.
Result<EnergyCase> case_of(const WorkloadTable& table, const TableQuestion& question) {
  for (EnergyCase& one : energy_cases(table))
    if (question.batch == 0 || one.batch_size == question.batch) return std::move(one);
  return Error{Code::unavailable,
               fmt::format("{} has no power at batch size {:g}", table.title(), question.batch),
               ""};
}

}  // namespace

Result<const WorkloadTable*> TableFigures::table(const Board& board, const std::string& workload,
                                                 Phase phase) {
  const auto key = std::tuple(board.twin()->id, workload, phase);
  const auto drawn = tables_.find(key);
  if (drawn != tables_.end()) return &drawn->second;
  FLYBALL_ASSIGN(WorkloadTable made, draw(board, workload, phase, {ModeChoice::Kind::paper}));
  if (made.size() < least_modes) {
    auto more = draw(board, workload, phase, {ModeChoice::Kind::sample, least_modes});
    if (more) made = *std::move(more);  // boards with fewer modes keep what they have
  }
  made.accepted.simulated = true;
  return &tables_.emplace(key, std::move(made)).first->second;
}

Result<double> TableFigures::figure(const Board& board, const TableQuestion& question) {
  if (question.figure.ends_with("_mape_pct")) return prediction(board, question);
  if (!question.strategy.empty()) return search(board, question);
  if (question.figure == "balance_pct")
    return Error{Code::unavailable,
                 "what arithmetic and memory take of energy is measured, not simulated: `flyball "
                 "roofline measure`, then `flyball roofline`",
                 ""};
  return energy(board, question);
}

Result<double> TableFigures::prediction(const Board& board, const TableQuestion& question) {
  PredictEvaluation evaluation;
  FLYBALL_ASSIGN(const WorkloadTable* target, table(board, question.workload, question.phase));
  evaluation.target = *target;
  const std::string other =
      question.reference_board.empty() ? board.twin()->id : question.reference_board;
  FLYBALL_ASSIGN(const auto reference_board, open_board("twin:" + other));
  FLYBALL_ASSIGN(const WorkloadTable* reference,
                 table(*reference_board, question.reference, question.phase));
  evaluation.references = {*reference};
  evaluation.predictors = {"auto"};
  evaluation.modes = {question.profiled};
  evaluation.runs = prediction_runs;
  FLYBALL_ASSIGN(const PredictReport report, evaluate_predict(evaluation));
  const PredictRow& row = report.rows.front();
  if (!row.error.empty()) return Error{Code::unavailable, row.error, ""};
  return known(question.figure == "time_mape_pct" ? row.time_mape.median : row.power_mape.median,
               question);
}

Result<double> TableFigures::search(const Board& board, const TableQuestion& question) {
  SearchSweep sweep;
  sweep.kind = question.phase == Phase::train ? ProblemKind::training : ProblemKind::inference;
  FLYBALL_ASSIGN(const WorkloadTable* asked, table(board, question.workload, question.phase));
  sweep.tables = {asked};
  sweep.strategies = {question.strategy};
  sweep.only_paper_modes = false;
  sweep.options.predictor = "auto";
  FLYBALL_ASSIGN(const SearchEvaluation found, evaluate_search(sweep));
  const SearchRow& row = found.rows.front();
  if (row.solvable == 0)
    return Error{Code::unavailable, "none of the published problems can be solved there", ""};
  if (question.figure == "profiles") return known(row.mean_profiles, question);
  if (question.figure == "excess_pct") return known(row.mean_excess_pct, question);
  const auto share = [](size_t of, size_t whole) {
    return 100 * static_cast<double>(of) / static_cast<double>(whole);
  };
  return known(share(row.solved, row.solvable), question);
}

Result<double> TableFigures::energy(const Board& board, const TableQuestion& question) {
  FLYBALL_ASSIGN(const WorkloadTable* asked, table(board, question.workload, question.phase));
  FLYBALL_ASSIGN(const EnergyCase found, case_of(*asked, question));
  const double saved = question.figure == "near_saving_pct" ? found.near_saving() : found.saving();
  return known(100 * saved, question);
}

}  // namespace flyball
