#include "cli/commands/fleet/fleet.h"

#include <optional>

#include "cli/board.h"
#include "cli/checks.h"
#include "cli/stored.h"

namespace flyball::cli {
namespace {

class Opener {
 public:
  Opener(const FleetTraining& training, const std::string& store)
      : training_(training), place_(store) {}

  Result<FleetKind> open(const FleetEntry& entry) {
    FLYBALL_ASSIGN(const auto stored, stored_board(entry.board));
    FLYBALL_ASSIGN(FleetKind kind, stored ? from_store(*stored) : from_board(entry.board));
    kind.boards = entry.boards;
    if (entry.idle_w) kind.idle_w = entry.idle_w;
    return kind;
  }

 private:
  Result<FleetKind> from_board(const std::string& name) const {
    FLYBALL_ASSIGN(const auto board, open_named_board(name, "/"));
    if (const TwinBoard* twin = board->twin())
      return simulated_kind(*twin, board->info().device.title, training_);
    return tabled_kind(*board->table(), training_);
  }

  Result<FleetKind> from_store(const std::string& name) {
    if (!store_) {
      FLYBALL_ASSIGN(store_, open_stored(place_));
    }
    return stored_kind(*store_, name, training_);
  }

  const FleetTraining& training_;
  std::string place_;
  std::optional<Store> store_;
};

}  // namespace

void add_fleet_options(CLI::App& command, FleetOptions& options) {
  command
      .add_option("--board", options.boards,
                  "Boards of one kind and their number: twin:BOARD=4 (simulated), table:FILE=2, or "
                  "the name of a board whose trials are in the store; several with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("BOARD=N");
  command.add_option("--fleet", options.file, "CSV file of boards: board,boards[,idle_w]")
      ->type_name("FILE");
}

Result<std::vector<FleetEntry>> fleet_entries(const FleetOptions& options) {
  std::vector<FleetEntry> entries;
  if (!options.file.empty()) {
    FLYBALL_ASSIGN(entries, read_fleet(options.file));
  }
  for (const std::string& text : options.boards) {
    FLYBALL_ASSIGN(FleetEntry entry, parse_fleet_entry(text));
    entries.push_back(std::move(entry));
  }
  if (entries.empty())
    return Error{Code::invalid_argument, "no boards are named",
                 "name some: --board twin:orin_agx=2,twin:orin_nano=4, or --fleet FILE"};
  return entries;
}

Result<std::vector<FleetKind>> open_fleet(const std::vector<FleetEntry>& entries,
                                          const FleetTraining& training, const std::string& store) {
  Opener opener(training, store);
  std::vector<FleetKind> kinds;
  for (const FleetEntry& entry : entries) {
    FLYBALL_ASSIGN(FleetKind kind, opener.open(entry));
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

FleetTraining FleetTrainingOptions::training() const {
  FleetTraining training;
  training.network = compared_network(workload, samples);
  training.batch_size = static_cast<double>(compared.batch_size);
  training.loader_workers = compared.workers;
  training.prefetch = compared.prefetch;
  return training;
}

void add_training_of_fleet(CLI::App& command, FleetTrainingOptions& options) {
  command.add_option("--workload", options.workload, "Network that is trained")->required();
  add_compared_training(command, options.compared);
}

void add_fleet(CLI::App& app, Context& context) {
  CLI::App* group =
      app.add_subcommand("fleet", "Ask of many boards: which of them, each in which mode");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  flyball fleet choose --workload resnet18 --board "
      "twin:orin_agx=2,twin:orin_nano=4 --deadline 2min --power-budget 100W");
  add_fleet_choose(*group, context);
  add_fleet_show(*group, context);
  add_fleet_rounds(*group, context);
}

}  // namespace flyball::cli
