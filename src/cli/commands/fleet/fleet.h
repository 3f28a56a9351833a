// The subcommands of `flyball fleet`, each in a file of its name (fleet_choose.cc), and how they
// open the boards of a fleet.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/training_options.h"
#include "fleet/fleet_file.h"
#include "fleet/fleet_kind.h"

namespace flyball::cli {

void add_fleet_choose(CLI::App& fleet, Context& context);
void add_fleet_show(CLI::App& fleet, Context& context);
void add_fleet_rounds(CLI::App& fleet, Context& context);

/// `--board` and `--fleet`: which boards, and how many of each.
struct FleetOptions {
  std::vector<std::string> boards;
  std::string file;
};
void add_fleet_options(CLI::App& command, FleetOptions& options);
/// Those of the file, then those of the command line. Error: none is named.
Result<std::vector<FleetEntry>> fleet_entries(const FleetOptions& options);
/// Each with what its modes take; `store` is where stored trials are.
Result<std::vector<FleetKind>> open_fleet(const std::vector<FleetEntry>& entries,
                                          const FleetTraining& training, const std::string& store);
/// `--workload`, `--samples`, `--batch-size`, `--workers` and `--prefetch`.
struct FleetTrainingOptions {
  std::string workload;
  double samples = 0;
  ComparedTraining compared;

  FleetTraining training() const;
};
void add_training_of_fleet(CLI::App& command, FleetTrainingOptions& options);

}  // namespace flyball::cli
