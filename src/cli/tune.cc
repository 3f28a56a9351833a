#include "tune/tune.h"

#include <fmt/format.h>

#include <cmath>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/session_progress.h"
#include "cli/tables.h"
#include "predict/registry/registry.h"
#include "report/page.h"
#include "report/tune_report.h"
#include "search/registry.h"
#include "tune/tune_json.h"

namespace flyball::cli {
namespace {

struct TuneOptions {
  ProfilerOptions board;
  std::string objective = "time";
  std::string power_budget, time_budget, energy_budget;
  std::vector<std::string> references, at_most, at_least;
  std::string report, store;
  bool json = false, oracle = false, no_store = false, no_verify = false, no_reference = false;
  TuneRequest request;
};

constexpr auto objectives = {Objective::time, Objective::energy, Objective::power};

Result<Objective> read_objective(const std::string& text) {
  std::vector<std::string> names;
  for (const Objective objective : objectives) {
    if (text == objective_name(objective)) return objective;
    names.push_back(objective_name(objective));
  }
  return Error{Code::invalid_argument, fmt::format("'{}' is not an objective of tune", text),
               "one of: " + join(names, ", ")};
}

Status read_budgets(const TuneOptions& options, TuneRequest& request) {
  FLYBALL_ASSIGN(request.objective, read_objective(options.objective));
  if (!options.power_budget.empty()) {
    FLYBALL_ASSIGN(const Watts watts, parse_watts(options.power_budget));
    request.power_budget_w = watts.value;
  }
  if (!options.time_budget.empty()) {
    FLYBALL_ASSIGN(const Seconds seconds, parse_seconds(options.time_budget));
    request.time_budget_s = seconds.value;
  }
  if (!options.energy_budget.empty()) {
    FLYBALL_ASSIGN(const Joules joules, parse_joules(options.energy_budget));
    request.energy_budget_j = joules.value;
  }
  return {};
}

Status read_limits(TuneOptions& options, const std::vector<std::string>& program) {
  for (const bool at_most : {true, false})
    for (const std::string& text : at_most ? options.at_most : options.at_least) {
      FLYBALL_ASSIGN(FigureLimit limit, parse_figure_limit(text, at_most));
      options.board.wanted_figures.push_back(limit.figure);
      options.request.limits.push_back(std::move(limit));
    }
  if (options.request.limits.empty() || !program.empty()) return {};
  return Error{Code::invalid_argument,
               "--at-most and --at-least hold figures that a program of your own reports",
               "name the program after --; networks and tables have --power-budget, --time-budget "
               "and --energy-budget"};
}

std::string with_spread(double value, double low, double high) {
  if (std::isnan(value)) return "-";
  if (!std::isfinite(low) || low == high) return number(value);
  return fmt::format("{} ({}-{})", number(value), number(low), number(high));
}

std::vector<std::string> row_of(const TuneResult& result, const std::string& label, size_t config) {
  const Configuration& c = result.configurations[config];
  const double epoch = result.minibatches_per_epoch(config);
  std::vector<std::string> row = {label};
  for (double value : result.space.row(config)) row.push_back(format_number(value));
  row.push_back(with_spread(c.minibatch_ms, c.time_lo, c.time_hi));
  row.push_back(with_spread(c.power_w, c.power_lo, c.power_hi));
  row.push_back(number(epoch > 0 ? c.minibatch_ms * 1e-3 * epoch : c.minibatch_ms * 1e-3));
  row.push_back(number(epoch > 0 ? c.minibatch_j() * epoch : c.minibatch_j()));
  row.push_back(provenance_name(c.provenance));
  return row;
}

std::vector<std::string> oracle_row(const TuneResult& result, const std::string& label,
                                    const TableRow& row) {
  const double epoch = std::max(1.0, result.minibatches_per_epoch(row.config));
  std::vector<std::string> cells = {label};
  for (double value : result.space.row(row.config)) cells.push_back(format_number(value));
  cells.push_back(number(row.minibatch_ms));
  cells.push_back(number(row.power_w));
  cells.push_back(number(row.minibatch_ms * 1e-3 * epoch));
  cells.push_back(number(row.minibatch_ms * 1e-3 * row.power_w * epoch));
  cells.push_back(provenance_name(row.provenance));
  return cells;
}

// Batch sizes differ where they are an axis: then a sample is what compares.
double samples_of(const TuneResult& result, size_t config) {
  const auto axis = result.space.axis_index("batch_size");
  return axis ? result.space.row(config)[*axis] : 1;
}

std::string against_default(const TuneResult& result) {
  const Configuration& choice = result.configurations[*result.choice];
  const Configuration& base = result.configurations[result.default_config];
  if (*result.choice == result.default_config) return "the default is already the best found";
  const auto change = [](double value, double before, const char* less, const char* more) {
    const double percent = 100 * (value / before - 1);
    return fmt::format("{:.1f} % {}", std::abs(percent), percent < 0 ? less : more);
  };
  const double chosen = samples_of(result, *result.choice);
  const double usual = samples_of(result, result.default_config);
  std::string text =
      change(choice.minibatch_ms / chosen, base.minibatch_ms / usual, "less", "more") + " time";
  if (!std::isnan(choice.power_w) && !std::isnan(base.power_w))
    text += ", " + change(choice.power_w, base.power_w, "less", "more") + " power, " +
            change(choice.minibatch_j() / chosen, base.minibatch_j() / usual, "less", "more") +
            " energy";
  return text + (chosen == usual ? "" : " per sample") + " than the default";
}

void print_oracle(const Oracle& oracle) {
  if (!oracle.raw)
    fmt::print("optimum: no configuration of the table meets the budgets\n");
  else
    fmt::print(
        "robust optimum: {}without {} rows whose power lies more than 6 % below their "
        "neighbours'\n",
        oracle.robust ? "" : "no configuration meets the budgets ", oracle.excluded.size());
}

void print_text(const TuneResult& result) {
  const ProfilerInfo& info = result.profiler;
  fmt::print("{} {} on {} ({}): {} of {} configurations profiled in {}\n\n", info.workload,
             info.phase == Phase::train ? "training" : "inference", info.device, info.device_title,
             result.profiles(), result.space.size(), format_seconds({result.seconds}));
  std::vector<std::string> header = {""};
  for (const Axis& axis : result.space.axes()) header.push_back(axis.name);
  const std::string span = result.samples > 0 ? "epoch" : "minibatch";
  header.insert(header.end(), {"minibatch ms", "power W", span + " s", span + " J", "known"});
  TextTable table(header);
  if (result.choice) table.add(row_of(result, "choice", *result.choice));
  table.add(row_of(result, "default", result.default_config));
  if (result.oracle && result.oracle->raw)
    table.add(oracle_row(result, "raw optimum", *result.oracle->raw));
  if (result.oracle && result.oracle->robust)
    table.add(oracle_row(result, "robust optimum", *result.oracle->robust));
  fmt::print("{}\n", table.str());
  if (result.choice) fmt::print("{}\n", against_default(result));
  if (result.choice)
    for (const auto& [name, value] : figures_of(result, *result.choice))
      fmt::print("{} of the choice: {}\n", name, figure_text(name, value));
  fmt::print("default: {}\n", result.default_reason);
  if (result.request.time_budget_s != unlimited || result.request.energy_budget_j != unlimited)
    fmt::print("time and energy budgets are those of one {}\n", result.budget_span);
  if (result.oracle) print_oracle(*result.oracle);
  fmt::print("search ended: {}\n", result.stopped);
  if (!info.power_gap.empty())
    fmt::print("power is not available on this machine: {}\n", info.power_gap);
  for (const WorkloadTable& reference : result.request.references)
    fmt::print("reference: {}\n", reference.title());
  for (const std::string& gap : info.gaps) fmt::print("note: {}\n", gap);
  for (const std::string& note : result.notes) fmt::print("note: {}\n", note);
}

Status run(TuneOptions& options, Context& context) {
  TuneRequest& request = options.request;
  request.command = context.command;
  request.seed = options.board.seed;
  request.verify = !options.no_verify;
  FLYBALL_CHECK(read_budgets(options, request));
  FLYBALL_CHECK(read_limits(options, context.program));
  if (!options.report.empty()) FLYBALL_CHECK(check_writable(options.report));
  options.board.program = context.program;
  FLYBALL_ASSIGN(OpenedProfiler board, open_profiler(options.board));
  FLYBALL_ASSIGN(request.references,
                 gather_references(options.references, board.profiler->info().device,
                                   !options.no_reference, options.board.accepted));
  if (options.oracle && !board.table)
    return Error{Code::invalid_argument, "--oracle needs a table, where every answer is known",
                 "use --device table:FILE"};
  std::optional<Store> store;
  if (!options.no_store) {
    FLYBALL_ASSIGN(store, open_store(options.store));
  }
  request.cancelled = &interrupt_flag();
  Progress progress(options.board.quiet);
  auto result = tune(*board.profiler, store ? &*store : nullptr, request, show_progress(progress));
  progress.finish();
  if (!result) return result.error();
  if (options.oracle) {
    FLYBALL_ASSIGN(result->oracle, find_oracle(*board.table, *board.profiler, request));
  }
  if (options.json)
    print_json(answer_json(*result));
  else
    print_text(*result);
  if (result->infeasible) context.exit_code = report_error(*result->infeasible);
  if (options.report.empty()) return {};
  FLYBALL_CHECK(write_file(options.report, fill_page(tune_report(*result))));
  if (!options.json) fmt::print("report: {}\n", options.report);
  return {};
}

std::string names_of_strategies() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : strategies()) names.push_back(entry.name);
  return join(names, ", ");
}

std::string names_of_predictors() {
  std::vector<std::string> names;
  for (const PredictorEntry& entry : predictors()) names.push_back(entry.name);
  return join(names, ", ");
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "tune", "find the best configuration for a workload, with few profiled ones");
  auto options = std::make_shared<TuneOptions>();
  add_profiler_options(*command, options->board);
  check_seed(*command);
  TuneRequest& request = options->request;
  command->add_option("--objective", options->objective, "time, energy or power")
      ->capture_default_str();
  command->add_option("--power-budget", options->power_budget, "at most this power, e.g. 30W")
      ->check(not_empty());
  command
      ->add_option("--time-budget", options->time_budget,
                   "at most this time per epoch (per minibatch when samples are unknown)")
      ->check(not_empty());
  command->add_option("--energy-budget", options->energy_budget, "at most this energy, likewise")
      ->check(not_empty());
  command
      ->add_option("--at-most", options->at_most,
                   "limit on a figure: memory=2GB, or what the program reports: loss=0.4")
      ->allow_extra_args(false);
  command
      ->add_option("--at-least", options->at_least,
                   "the same from below: accuracy=0.7, by flyball.report(\"accuracy\", x)")
      ->allow_extra_args(false);
  command->add_option("--samples", request.samples, "samples of an epoch")->check(sample_count());
  command
      ->add_option("--profiles", request.profiles,
                   "profile at most so many configurations (brute-force measures all)")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--strategy", request.strategy, names_of_strategies())->capture_default_str();
  command->add_option("--predictor", request.predictor, names_of_predictors())
      ->capture_default_str();
  command->add_option("--reference", options->references, "table of earlier workloads")
      ->check(CLI::ExistingFile);
  command->add_flag("--no-reference", options->no_reference,
                    "leave out the references kept for this board (`flyball reference list`)");
  command->add_option("--report", options->report, "write an HTML report here")->check(not_empty());
  command->add_option("--store", options->store, "where measurements are kept")->check(not_empty());
  command->add_flag("--no-store", options->no_store, "keep nothing");
  command->add_flag("--fresh", request.fresh, "measure again what the store holds");
  command->add_flag("--no-verify", options->no_verify, "do not measure the answer once more");
  command->add_flag("--oracle", options->oracle, "show a table's true optimum beside the answer");
  add_json_flag(*command, options->json);
  command->footer(
      "A program of your own goes after --; it reads each opened axis as FLYBALL_BATCH_SIZE and "
      "so\n"
      "on, and marks its minibatches (docs/your-model.md).\n"
      "Example:\n  flyball tune lenet5 --device host --objective time --report out/report.html\n"
      "  flyball tune --axis batch_size=8,16,32 -- python3 train.py");
  set_action(*command, context, [options, command, &context] {
    options->request.profiles_asked = command->count("--profiles") > 0;
    return run(*options, context);
  });
}

}  // namespace flyball::cli
