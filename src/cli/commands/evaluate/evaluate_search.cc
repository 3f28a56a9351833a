#include <fmt/format.h>

#include "base/figure.h"
#include "base/files.h"
#include "base/json.h"
#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/commands/evaluate/searching.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/prior_options.h"
#include "cli/table_folder.h"
#include "cli/tables.h"
#include "evaluate/population.h"
#include "evaluate/search_sweep.h"

namespace flyball::cli {
namespace {

constexpr size_t modes_of_the_paper = 441;

struct EvaluateSearchArguments {
  std::string problem = "training", problems = "paper", modes, predictor;
  std::vector<std::string> train, infer, references, strategies = {"gmd", "flyball"};
  std::string cases, data, prior = "none";
  Accepted accepted;
  size_t max_profiles = 10, seeds = 1, threads = 0, every = 1, draws = 40;
  uint64_t seed = 1;
  double min_gain = -1;
  bool json = false, quiet = false;
};

Result<std::vector<WorkloadTable>> tables_of(ProblemKind kind,
                                             const EvaluateSearchArguments& options) {
  FLYBALL_CHECK(check_roles(fmt::format("problem '{}'", kind_name(kind)), kind,
                            options.train.size(), options.infer.size(),
                            "each names a table, FILE.csv or FILE.csv:WORKLOAD"));
  std::vector<WorkloadTable> tables;
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const std::string& spec : phase == Phase::train ? options.train : options.infer) {
      FLYBALL_ASSIGN(WorkloadTable table, read_role(spec, phase, options.accepted));
      FLYBALL_CHECK(take_prior(options.prior, table));
      tables.push_back(std::move(table));
    }
  return tables;
}

void print_rows(const SearchEvaluation& evaluation) {
  TextTable table({"strategy", "problems", "solvable", "solved", "excess median %", "mean %",
                   "p90 %", "robust mean %", "robust p90 %", "profiles", "max", "trials",
                   "violations", "> 1 W", "s"});
  for (const SearchRow& row : evaluation.rows)
    table.add({row.strategy, fmt::format("{}", row.problems), fmt::format("{}", row.solvable),
               fmt::format("{}", row.solved), decimals(row.median_excess_pct),
               decimals(row.mean_excess_pct), decimals(row.p90_excess_pct),
               decimals(row.robust_mean_excess_pct), decimals(row.robust_p90_excess_pct),
               decimals(row.mean_profiles, 1), decimals(row.max_profiles, 0),
               decimals(row.mean_trials, 1), fmt::format("{}", row.violations),
               fmt::format("{}", row.violations_over_1w), number(row.seconds)});
  fmt::print("{}", table.str());
  if (evaluation.kind == ProblemKind::concurrent)
    for (const SearchRow& row : evaluation.rows)
      fmt::print("{}: median n {}, mean n-loss {} %, mean throughput loss {} %\n", row.strategy,
                 decimals(row.median_n, 0), decimals(row.mean_n_loss_pct, 1),
                 decimals(row.mean_throughput_loss_pct));
}

/// Every table of a folder with problems of its own.
Status run_population(const EvaluateSearchArguments& options, SearchSweep sweep) {
  if (!options.train.empty() || !options.infer.empty())
    return Error{Code::invalid_argument, "--tables is given with --train or --infer",
                 "--tables DIR takes all tables of a folder; leave the others out"};
  if (options.prior != "none" && options.prior != "auto")
    return Error{Code::invalid_argument, "--tables takes no --prior",
                 "give the tables one by one with --train and --infer, or --prior none"};
  const Phase phase = sweep.kind == ProblemKind::training ? Phase::train : Phase::infer;
  FLYBALL_ASSIGN(const auto tables, read_table_folder(options.data, phase, options.accepted));
  FLYBALL_ASSIGN(const SearchPopulation found,
                 evaluate_search_population(sweep, tables, options.draws));
  if (!options.cases.empty()) FLYBALL_CHECK(write_file(options.cases, cases_csv(found.cases)));
  if (options.json) {
    Json document{{"problem", kind_name(sweep.kind)}, {"tables", tables.size()}};
    for (const SearchKindRow& row : found.kinds) document["kinds"].push_back(to_json(row));
    print_json(document);
    return {};
  }
  TextTable shown({"strategy", "kind", "tables", "solvable", "solved %", "excess median %",
                   "mean %", "p90 %", "worst table %", "profiles", "worst table"});
  for (const SearchKindRow& row : found.kinds)
    shown.add(
        {row.strategy, row.kind, fmt::format("{}", row.tables), fmt::format("{}", row.solvable),
         decimals(100.0 * static_cast<double>(row.solved) / static_cast<double>(row.solvable)),
         decimals(row.median_excess_pct), decimals(row.mean_excess_pct),
         decimals(row.p90_excess_pct), decimals(row.worst_mean_excess_pct),
         decimals(row.mean_profiles, 1), row.worst_table});
  fmt::print("{}", shown.str());
  return {};
}

Status run(const EvaluateSearchArguments& options) {
  SearchSweep sweep;
  FLYBALL_ASSIGN(sweep.kind, parse_kind(options.problem));
  std::vector<WorkloadTable> tables;
  if (options.data.empty()) {
    FLYBALL_ASSIGN(tables, tables_of(sweep.kind, options));
  }
  for (const WorkloadTable& table : tables) sweep.tables.push_back(&table);
  FLYBALL_ASSIGN(sweep.strategies, strategy_names(options.strategies));
  if (options.problems != "paper") {
    FLYBALL_ASSIGN(sweep.problems, read_problems(options.problems));
  }
  if (!options.modes.empty() && options.modes != "paper" && options.modes != "all")
    return Error{Code::invalid_argument, fmt::format("'{}' are no modes", options.modes),
                 "paper (its 441 modes) or all"};
  // A folder has boards of any kind.
  sweep.only_paper_modes = options.modes.empty() ? options.data.empty() : options.modes == "paper";
  sweep.options.profile_budget = options.max_profiles;
  sweep.options.seed = options.seed;
  if (options.min_gain >= 0) sweep.options.min_gain = options.min_gain;
  FLYBALL_ASSIGN(sweep.references, read_references(options.references, options.accepted));
  FLYBALL_CHECK(take_search_predictor(options.predictor, sweep.options));
  sweep.seeds = options.seeds;
  sweep.every = options.every;
  sweep.threads = options.threads;
  Progress progress(options.quiet);
  sweep.progress = [&](size_t done, size_t all) { progress.show(done, all, "searching"); };
  if (!options.data.empty()) return run_population(options, std::move(sweep));
  const auto evaluation = evaluate_search(sweep);
  progress.finish();
  if (!evaluation) return evaluation.error();
  if (!options.cases.empty())
    FLYBALL_CHECK(write_file(options.cases, cases_csv(evaluation->cases)));
  if (sweep.only_paper_modes && evaluation->modes < modes_of_the_paper)
    fmt::print(
        stderr,
        "note: {} of the paper's {} modes are in the table{}; --modes all takes every mode\n",
        evaluation->modes, modes_of_the_paper, tables.size() > 1 ? "s" : "");
  if (options.json)
    print_json(to_json(*evaluation));
  else
    print_rows(*evaluation);
  return {};
}

}  // namespace

void add_evaluate_search(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "search", "Judge strategies against the exact optimum of measured tables");
  auto options = std::make_shared<EvaluateSearchArguments>();
  takes_one_of(command->add_option("--problem", options->problem, "Kind of problem"),
               {"training", "inference", "concurrent", "two-inference"})
      ->capture_default_str();
  command->add_option("--train", options->train, "Table of the training");
  command->add_option("--infer", options->infer, "Table of the inference");
  command->add_option("--tables", options->data,
                      "Folder of tables instead: all of its phase, summed up by kind of network");
  command
      ->add_option("--draws", options->draws,
                   "Problems drawn for each table of --tables, unless --problems names a file")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_reference_option(*command, options->references);
  add_accept_option(*command, options->accepted);
  add_prior_option(*command, options->prior);
  command->add_option("--strategy", options->strategies,
                      "Names of strategies, separated by commas");
  command->add_option("--problems", options->problems, "Problems: paper, or a CSV file of budgets")
      ->capture_default_str();
  command->add_option("--every", options->every, "Take every so manieth problem; 1: all of them")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  writes(command->add_option("--cases", options->cases,
                             "Write a CSV file with one line for each search"));
  command->add_option("--modes", options->modes,
                      "Power modes: paper (its 441) or all; default: paper, and all with --tables");
  command
      ->add_option(
          "--profiles", options->max_profiles,
          "Profiles that flyball may make; random draws so many modes, each with all batch "
          "sizes; other strategies make as many as they were published with")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seeds", options->seeds, "Runs of a random strategy")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  add_seed(*command, options->seed, "First seed");
  command->add_option("--predictor", options->predictor,
                      "Predictor that flyball and als model with");
  command
      ->add_option("--min-gain", options->min_gain,
                   "Stop when the expected relative gain is below this")
      ->check(CLI::Range(0.0, 1.0));
  add_threads(*command, options->threads);
  add_json_flag(*command, options->json);
  add_quiet(*command, options->quiet);
  command->footer(
      "Example:\n  flyball evaluate search --problem training --train resnet18.csv "
      "--reference mobilenet.csv --strategy gmd,binary-search,flyball");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
