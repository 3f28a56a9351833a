#include "cli/commands/runs/runs_spread.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/action.h"
#include "cli/output.h"
#include "cli/stored.h"
#include "report/board_spread.h"

namespace flyball::cli {
namespace {

struct RunsSpreadArguments {
  std::vector<std::string> stores;
  bool json = false;
};

void print_groups(const char* title, const std::vector<SpreadGroup>& groups, const char* none) {
  if (groups.empty()) {
    fmt::print("{}: {}\n", title, none);
    return;
  }
  fmt::print("{}\n", title);
  TextTable table({"device", "workload", "phase", "of", "trials", "time CV %", "at most",
                   "energy CV %", "at most"});
  for (const SpreadGroup& group : groups) {
    const std::string of =
        !group.members.empty() ? join(group.members, " | ") : group.board + " " + group.software;
    const auto percent = [&](double Variation::*figure) {
      return group.energy ? number(100 * ((*group.energy).*figure)) : std::string("-");
    };
    table.add({group.device, group.workload, group.phase, of, fmt::format("{}", group.time.trials),
               number(100 * group.time.median), number(100 * group.time.max),
               percent(&Variation::median), percent(&Variation::max)});
  }
  fmt::print("{}\n", table.str());
}

Status run(const RunsSpreadArguments& options) {
  std::vector<BoardRecord> boards;
  size_t left_out = 0;
  for (const std::string& place : options.stores) {
    FLYBALL_ASSIGN(Store store, open_stored(place));
    FLYBALL_ASSIGN(BoardRecord record, board_record(store, store_place(place)));
    left_out += record.not_measured;
    boards.push_back(std::move(record));
  }
  if (left_out > 0)
    fmt::print(stderr,
               "note: {} trials that are simulated or of a table are left out: only what was "
               "measured live tells a spread here (`flyball fleet show` has that of a collected "
               "store, simulated ones included)\n",
               left_out);
  const BoardSpread spread = spread_of_boards(boards);
  if (options.json) {
    print_json(to_json(spread));
    return {};
  }
  print_groups("between boards of one kind", spread.between_boards,
               "no trial was measured on two of them with one software");
  print_groups("between software versions of one board", spread.between_software,
               "no trial was measured with two");
  print_groups("over time on one board", spread.over_time, "no trial was measured twice");
  fmt::print(
      "CV: standard deviation / mean of a trial; its median over the trials, and the "
      "largest\n");
  return {};
}

}  // namespace

void add_runs_spread(CLI::App& runs, Context& context) {
  CLI::App* command = runs.add_subcommand(
      "spread",
      "Show how much equal trials differ between boards, software versions and over time");
  auto options = std::make_shared<RunsSpreadArguments>();
  command->add_option("stores", options->stores, "A store of each board")->required();
  add_json_flag(*command, options->json);
  command->footer("Example:\n  flyball runs spread board1.db board2.db board3.db");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
