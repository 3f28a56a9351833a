#include <fmt/format.h>

#include "base/json.h"
#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/commands/evaluate/judged_table.h"
#include "cli/common_options.h"
#include "cli/table_folder.h"
#include "cli/tables.h"
#include "evaluate/population.h"
#include "evaluate/predict_eval.h"

namespace flyball::cli {
namespace {

struct EvaluatePredictArguments : JudgedTable {
  std::string data;
  PredictEvaluation evaluation;
};

void print_text(const PredictReport& report) {
  fmt::print("{}: {} configurations", report.target, report.configurations);
  if (report.repeats > 0) fmt::print(", {}", merged_text(report.repeats));
  fmt::print("\nerrors in percent over all configurations, median of the runs (quartiles)\n\n");
  TextTable table({"predictor", "design", "modes", "runs", "time MAPE", "power MAPE", "time MdAPE",
                   "power MdAPE", "cover t", "cover P", "width t", "width P", "fit s",
                   "predict s"});
  for (const PredictRow& row : report.rows) {
    if (!row.error.empty()) continue;
    table.add({row.predictor, row.design, fmt::format("{}", row.modes), fmt::format("{}", row.runs),
               spread_text(row.time_mape), spread_text(row.power_mape), number(row.time_mdape),
               number(row.power_mdape), number(row.time_coverage90), number(row.power_coverage90),
               number(row.time_width90), number(row.power_width90), number(row.fit_s),
               number(row.predict_s)});
  }
  fmt::print("{}\ncover, width: of the 90 % interval, as a fraction and in percent of the mean\n",
             table.str());
  for (const PredictRow& row : report.rows) {
    if (!row.error.empty())
      fmt::print("{} at {} modes failed: {}\n", row.predictor, row.modes, row.error);
    for (const std::string& note : row.notes)
      fmt::print("note, {} {} modes: {}\n", row.design, row.modes, note);
  }
}

Status run_population(EvaluatePredictArguments& options) {
  PredictEvaluation& evaluation = options.evaluation;
  if (options.phase.empty() || evaluation.floor)
    return Error{Code::invalid_argument,
                 evaluation.floor ? "--tables has no --floor" : "--tables needs --phase",
                 "flyball evaluate predict --tables DIR --phase infer"};
  FLYBALL_ASSIGN(const Phase phase, parse_phase(options.phase));
  FLYBALL_ASSIGN(const auto tables, read_table_folder(options.data, phase, options.accepted));
  FLYBALL_ASSIGN(evaluation.references, read_references(options.references, options.accepted));
  Progress progress(options.quiet);
  evaluation.progress = [&](size_t done, size_t all) { progress.show(done, all, "tables"); };
  const auto rows = evaluate_predict_population(evaluation, tables);
  progress.finish();
  if (!rows) return rows.error();
  if (options.json) {
    Json document{{"phase", phase_name(phase)}, {"tables", tables.size()}};
    for (const PredictKindRow& row : *rows) document["kinds"].push_back(to_json(row));
    print_json(document);
    return {};
  }
  TextTable shown({"predictor", "design", "modes", "kind", "tables", "time MAPE", "p90", "worst",
                   "power MAPE", "p90", "worst", "cover t", "cover P"});
  for (const PredictKindRow& row : *rows)
    shown.add({row.predictor, row.design, fmt::format("{}", row.modes), row.kind,
               fmt::format("{}", row.tables), number(row.time_median), number(row.time_p90),
               number(row.time_worst), number(row.power_median), number(row.power_p90),
               number(row.power_worst), number(row.time_coverage90), number(row.power_coverage90)});
  fmt::print("{}\nmedians, 90th percentiles and worst of the tables' errors in percent\n",
             shown.str());
  return {};
}

Status run(EvaluatePredictArguments& options) {
  PredictEvaluation& evaluation = options.evaluation;
  if (options.data.empty() == options.target.empty())
    return Error{Code::invalid_argument, "one of --truth and --tables is needed",
                 "--truth FILE judges one table, --tables DIR a folder of them"};
  if (!options.data.empty()) return run_population(options);
  return judge(options, evaluation, "fits", evaluate_predict, print_text);
}

}  // namespace

void add_evaluate_predict(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "predict", "Judge how well predictors know a table from few of its modes");
  auto options = std::make_shared<EvaluatePredictArguments>();
  PredictEvaluation& evaluation = options->evaluation;
  evaluation.modes = {10, 20, 50, 100};
  command->add_option("--truth", options->target, "Measured table, the truth");
  command->add_option("--tables", options->data,
                      "Folder of tables instead: all of --phase, summed up by kind of network");
  add_table_options(*command, *options, evaluation);
  command
      ->add_option("--profiles", evaluation.modes,
                   "Numbers of profiled modes; 0: from references and what the network computes")
      ->delimiter(',')
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  add_design_option(*command, evaluation.designs);
  add_run_options(*command, evaluation);
  add_threads(*command, evaluation.threads);
  command->add_flag("--floor", evaluation.floor,
                    "Add the error of a strong smoother trained on 90 % of the rows");
  add_output_options(*command, *options);
  command->footer(
      "Example:\n  flyball evaluate predict --truth target.csv --reference earlier.csv "
      "--predictor linear,analytical --profiles 10,50 --runs 10 --seed 1 --floor");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
