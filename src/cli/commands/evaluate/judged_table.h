// What the evaluations of predictors share: the table they are judged on, and how they run.
#pragma once

#include <CLI/CLI.hpp>

#include "base/statistics.h"
#include "cli/output.h"
#include "evaluate/evaluation.h"

namespace flyball::cli {

struct JudgedTable {
  std::string target, workload, phase;
  std::vector<std::string> references;
  std::string prior = "none";  ///< of a twin whose constants may have seen the target
  Accepted accepted;
  bool json = false, quiet = false;
};

/// --workload and --phase, of the rows of one file.
void add_target_options(CLI::App& command, std::string& workload, std::string& phase);
/// --workload, --phase, --reference, --accept and --predictor.
void add_table_options(CLI::App& command, JudgedTable& table, Evaluation& evaluation);
/// --design, of one or several.
void add_design_option(CLI::App& command, std::string& design);
void add_design_option(CLI::App& command, std::vector<std::string>& designs);
/// --runs and --seed.
void add_run_options(CLI::App& command, Evaluation& evaluation);
/// --json and --quiet.
void add_output_options(CLI::App& command, JudgedTable& table);

/// The target and its references into the evaluation.
Status read_judged(const JudgedTable& table, Evaluation& evaluation);

/// Reads the tables, judges while the progress shows so many `units`, and prints the report.
template <class Asked, class Report>
Status judge(const JudgedTable& table, Asked& evaluation, const char* units,
             Result<Report> (*evaluate)(const Asked&), void (*print_text)(const Report&)) {
  FLYBALL_CHECK(read_judged(table, evaluation));
  Progress progress(table.quiet);
  evaluation.progress = [&](size_t done, size_t all) { progress.show(done, all, units); };
  const auto report = evaluate(evaluation);
  progress.finish();
  if (!report) return report.error();
  if (table.json)
    print_json(to_json(*report));
  else
    print_text(*report);
  return {};
}

/// "12.3 (10.1-14.2)": median and quartiles, "-" where there are none.
std::string spread_text(const Quartiles& q);

}  // namespace flyball::cli
