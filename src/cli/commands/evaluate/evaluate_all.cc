#include <fmt/format.h>

#include <algorithm>

#include "base/figure.h"
#include "base/json.h"
#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/commands/evaluate/searching.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/table_folder.h"
#include "cli/tables.h"
#include "evaluate/every_eval.h"
#include "report/page.h"

namespace flyball::cli {
namespace {

struct EvaluateAllArguments {
  std::string folder, predictor, report;
  std::vector<std::string> references, strategies = {"gmd", "flyball"};
  Accepted accepted;
  size_t limit = 200, max_profiles = 10, threads = 0;
  uint64_t seed = 1;
  bool tables = false, json = false, quiet = false;
};

bool is_positive(size_t count) {
  return count > 0;
}

std::vector<std::string> figures(const EveryRow& row) {
  return {fmt::format("{}", row.solvable),      decimals(row.satisfied_pct(), 1),
          decimals(row.median_distance_pct, 2), decimals(row.mean_distance_pct, 2),
          decimals(row.mean_profiles, 1),       decimals(row.max_profiles, 0)};
}

void print_text(const EveryEvaluation& evaluation, bool by_tables) {
  fmt::print(
      "{} tables, {} configurations: {} problems, of which {} can be solved{}\n\n",
      evaluation.tables, evaluation.configurations, evaluation.problems, evaluation.solvable,
      evaluation.unposed == 0 ? "" : fmt::format(" and {} could not be posed", evaluation.unposed));
  std::vector<std::string> header = {"problems",     "strategy", "solvable", "satisfied %",
                                     "off median %", "mean %",   "profiles", "max"};
  const bool failed = std::ranges::any_of(evaluation.rows, is_positive, &EveryRow::failed);
  if (failed) header.emplace_back("broken off");
  if (by_tables) header.insert(header.begin() + 1, "tables");
  TextTable table(header);
  for (const EveryRow& row : evaluation.rows) {
    if (!row.tables.empty() && !by_tables) continue;
    std::vector<std::string> cells = {row.kind.empty() ? "all" : row.kind};
    if (by_tables) cells.push_back(row.tables.empty() ? "all" : row.tables);
    cells.push_back(row.strategy);
    for (std::string& one : figures(row)) cells.push_back(std::move(one));
    if (failed) cells.push_back(fmt::format("{}", row.failed));
    table.add(std::move(cells));
  }
  fmt::print(
      "{}satisfied: every limit is kept by the table's own figures of what was chosen\n"
      "off: time, latency or training lost against the best of the table\n",
      table.str());
  for (const EveryFailure& one : evaluation.failures) {
    fmt::print("failed: {}\n", one.text());
    if (!one.error.hint.empty()) fmt::print("        {}\n", one.error.hint);
  }
}

Status run(const EvaluateAllArguments& options, const Context& context) {
  EverySweep sweep;
  FLYBALL_ASSIGN(sweep.strategies, strategy_names(options.strategies));
  FLYBALL_CHECK(take_search_predictor(options.predictor, sweep.options));
  FLYBALL_ASSIGN(sweep.tables, read_table_folder(options.folder, {}, options.accepted));
  FLYBALL_ASSIGN(sweep.references, read_references(options.references, options.accepted));
  sweep.limit = options.limit;
  sweep.options.profile_budget = options.max_profiles;
  sweep.options.seed = options.seed;
  sweep.threads = options.threads;
  if (!options.quiet && std::ranges::count(sweep.strategies, "als") > 0)
    fmt::print(stderr,
               "note: als learns anew after every ten of its profiles, at each rate of a dynamic "
               "problem: it takes far longer than all other strategies together; with a small "
               "--limit the progress shows how long\n");
  Progress progress(options.quiet);
  sweep.progress = [&](size_t done, size_t all) { progress.show(done, all, "problems"); };
  const auto evaluation = evaluate_every(sweep);
  progress.finish();
  if (!evaluation) return evaluation.error();
  if (options.json)
    print_json(to_json(*evaluation));
  else
    print_text(*evaluation, options.tables);
  return write_report(options.report,
                      page_document("evaluation", context.command, to_json(*evaluation)),
                      options.json);
}

}  // namespace

void add_evaluate_all(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "all", "Judge strategies on problems of every kind, over all tables of a folder");
  auto options = std::make_shared<EvaluateAllArguments>();
  command->add_option("folder", options->folder, "Folder of tables")->required();
  command
      ->add_option("--limit", options->limit,
                   "Problems of each kind, drawn, spread over the tables")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_flag("--each-table", options->tables,
                    "Show figures of each table, and of each pair, too");
  add_reference_option(*command, options->references);
  add_accept_option(*command, options->accepted);
  command->add_option(
      "--strategy", options->strategies,
      "Names of strategies, separated by commas; als takes far longer than all others");
  command
      ->add_option(
          "--profiles", options->max_profiles,
          "Profiles that flyball may make; random draws so many modes, each with all batch "
          "sizes; other strategies make as many as they were published with")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--predictor", options->predictor,
                      "Predictor that flyball and als model with");
  add_seed(*command, options->seed);
  add_threads(*command, options->threads);
  add_report_option(*command, options->report);
  add_json_flag(*command, options->json);
  add_quiet(*command, options->quiet);
  command->footer("Example:\n  flyball evaluate all tables --limit 100");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
