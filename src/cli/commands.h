// Every command is one file of commands/ that adds itself; line/application.cc holds the one list.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace flyball::cli {

/// What a command is given and what it leaves behind: the exit code of the process.
/// 0 fine · 1 the answer is no (infeasible) · 2 bad use or failure · 128 + the signal that
/// stopped it (130: Ctrl-C).
struct Context {
  int exit_code = 0;
  std::string command;  ///< the command line as it was typed
  /// What stands after "--" where that is a program of the user's own (profile, tune, mode hold).
  std::vector<std::string> program;
};

void add_tune(CLI::App& app, Context& context);
void add_profile(CLI::App& app, Context& context);
void add_measure(CLI::App& app, Context& context);
void add_record(CLI::App& app, Context& context);
void add_monitor(CLI::App& app, Context& context);
void add_metrics_server(CLI::App& app, Context& context);
void add_mode(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_verify_board(CLI::App& app, Context& context);
void add_predict(CLI::App& app, Context& context);
void add_pareto(CLI::App& app, Context& context);
void add_reference(CLI::App& app, Context& context);
void add_evaluate(CLI::App& app, Context& context);
void add_describe(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_fleet(CLI::App& app, Context& context);
void add_collect(CLI::App& app, Context& context);
void add_campaign(CLI::App& app, Context& context);
void add_workloads(CLI::App& app, Context& context);
void add_devices(CLI::App& app, Context& context);
void add_dataset(CLI::App& app, Context& context);
void add_experiment(CLI::App& app, Context& context);
void add_runs(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_plan(CLI::App& app, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_broker(CLI::App& app, Context& context);
void add_loadtest(CLI::App& app, Context& context);
void add_config(CLI::App& app, Context& context);
void add_study(CLI::App& app, Context& context);
void add_roofline(CLI::App& app, Context& context);
void add_helper(CLI::App& app, Context& context);
void add_twin(CLI::App& app, Context& context);
void add_manual(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);

}  // namespace flyball::cli
