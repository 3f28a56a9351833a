#include "cli/commands/evaluate/judged_table.h"
#include "cli/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/action.h"
#include "cli/common_options.h"
#include "cli/prior_options.h"
#include "cli/tables.h"
#include "evaluate/references.h"
#include "predictors/registry.h"

namespace flyball::cli {

void add_target_options(CLI::App& command, std::string& workload, std::string& phase) {
  command.add_option("--workload", workload, "Workload of the target, where it holds several");
  takes_one_of(command.add_option("--phase", phase, "Phase of the target, where it holds both"),
               {"train", "infer"});
}

void add_table_options(CLI::App& command, JudgedTable& table, Evaluation& evaluation) {
  evaluation.predictors = {default_predictor()};
  add_target_options(command, table.workload, table.phase);
  add_reference_option(command, table.references);
  add_accept_option(command, table.accepted);
  add_prior_option(command, table.prior);
  add_predictors_option(command, evaluation.predictors);
}

void add_design_option(CLI::App& command, std::string& design) {
  takes_one_of(command.add_option("--design", design, "Design: " + design_names()), design_words())
      ->capture_default_str();
}

void add_design_option(CLI::App& command, std::vector<std::string>& several) {
  takes_one_of(command.add_option("--design", several, "Designs: " + design_names()),
               design_words())
      ->delimiter(',')
      ->capture_default_str();
}

void add_run_options(CLI::App& command, Evaluation& evaluation) {
  command.add_option("--runs", evaluation.runs, "Runs, each with modes of its own")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_seed(command, evaluation.seed);
}

void add_output_options(CLI::App& command, JudgedTable& table) {
  add_json_flag(command, table.json);
  add_quiet(command, table.quiet);
}

Status read_judged(const JudgedTable& table, Evaluation& evaluation) {
  FLYBALL_ASSIGN(evaluation.target,
                 read_workload(table.target, table.workload, table.phase, table.accepted));
  FLYBALL_CHECK(take_prior(table.prior, evaluation.target));
  FLYBALL_ASSIGN(const auto named, read_references(table.references, table.accepted));
  evaluation.references = references_for(evaluation.target, named);
  const std::string title = evaluation.target.title();
  if (evaluation.references.empty() && !named.empty())
    return Error{Code::invalid_argument,
                 fmt::format("--reference names {} alone, which is judged", title),
                 "name tables of other workloads, or leave it out"};
  if (evaluation.references.size() < named.size())
    fmt::print(stderr, "note: {} is judged, and is no reference for itself\n", title);
  return {};
}

std::string spread_text(const Quartiles& q) {
  return std::isfinite(q.median)
             ? fmt::format("{} ({}-{})", number(q.median), number(q.q1), number(q.q3))
             : "-";
}

}  // namespace flyball::cli
