// Every command is one file that adds itself to the application; main.cc holds the one list.
#pragma once

#include <CLI/CLI.hpp>

namespace flyball::cli {

/// What a command leaves behind: the exit code of the process.
/// 0 fine · 1 the answer is no (infeasible, not found) · 2 bad use or failure.
struct Outcome {
  int exit_code = 0;
};

void add_tune(CLI::App& app, Outcome& outcome);
void add_measure(CLI::App& app, Outcome& outcome);
void add_doctor(CLI::App& app, Outcome& outcome);
void add_workloads(CLI::App& app, Outcome& outcome);
void add_devices(CLI::App& app, Outcome& outcome);
void add_dataset(CLI::App& app, Outcome& outcome);
void add_runs(CLI::App& app, Outcome& outcome);
void add_import(CLI::App& app, Outcome& outcome);
void add_export(CLI::App& app, Outcome& outcome);

}  // namespace flyball::cli
