#include "cli/commands/mode/mode_measure.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/common_options.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/report_left.h"
#include "cli/stored.h"
#include "device/helper/messages.h"
#include "device/modes/mode.h"
#include "tune/board_costs.h"

namespace flyball::cli {
namespace {

struct ModeMeasureArguments {
  std::vector<std::string> modes;
  std::string device, root = "/", command;
  StoreArguments store;
  std::optional<int64_t> run;
  IdleOptions idle;
  SwitchOptions cost;
  MeasuringOptions measuring;
  bool json = false, quiet = false;
};

struct Opened {
  std::unique_ptr<Board> board;
  std::optional<Store> store;
  std::shared_ptr<MeasuringSession> measuring;
  std::unique_ptr<Device> device;  // put back before others measure
};

Result<Opened> open(const ModeMeasureArguments& options) {
  Opened opened;
  FLYBALL_ASSIGN(opened.store, options.store.open());
  // The session comes first: what a board and its knobs find is what the board is put back to, and
  // not the clocks of another one's trial.
  FLYBALL_ASSIGN(opened.measuring, begin_measuring(options.measuring));
  FLYBALL_ASSIGN(opened.board, open_named_board(options.device, options.root));
  FLYBALL_ASSIGN(opened.device, opened.board->knobs(report_left));
  return opened;
}

// Those named, those of a run's trials, or the mode that the board is in.
Result<std::vector<PowerMode>> idle_modes(const ModeMeasureArguments& options) {
  FLYBALL_ASSIGN(std::vector<PowerMode> modes, parse_modes(options.modes));
  if (options.run) {
    FLYBALL_ASSIGN(Store store, open_stored(options.store.place));
    FLYBALL_CHECK(add_trial_modes(store, *options.run, modes));
  }
  if (modes.empty()) modes.emplace_back();
  return modes;
}

// Before anything is set: what one mode lacks is not found out after another one was measured.
Status check_modes(const Device& device, const std::vector<PowerMode>& modes) {
  const std::vector<Axis> axes = device.axes();
  for (const PowerMode& mode : modes) FLYBALL_CHECK(check_mode(axes, mode));
  return {};
}

std::string name_of(const PowerMode& mode) {
  return mode.values.empty() ? "as it is" : describe(mode.values);
}

void print_idle(const std::vector<IdlePower>& measured) {
  TextTable table({"mode", "idle W", "from", "to", "total", "for s", "updates", ""});
  for (const IdlePower& idle : measured)
    table.add({name_of(idle.mode), number(idle.power_w), number(idle.q1_w), number(idle.q3_w),
               idle.total, number(idle.seconds), fmt::format("{}", idle.updates),
               idle.settled ? "" : "not settled"});
  fmt::print("{}from, to: quartiles of five stretches\n", table.str());
  for (const IdlePower& idle : measured)
    if (!idle.disturbed.empty()) fmt::print("note: {} measured beside it\n", idle.disturbed);
}

// Kept nowhere: what is stored of a kind of board counts for its measured tables, too.
Status simulate_idle(const ModeMeasureArguments& options, const Board& board,
                     const std::vector<PowerMode>& modes) {
  TextTable table({"mode", "idle W", "total", "known"});
  Json list = Json::array();
  FLYBALL_ASSIGN(const std::vector<IdlePower> simulated, simulated_idle(board, modes));
  for (const IdlePower& idle : simulated) {
    table.add({describe(idle.caps.values), number(idle.power_w), idle.total,
               provenance_name(idle.provenance)});
    list.push_back(idle_json(idle));
    list.back()["run"] = nullptr;
  }
  if (options.json)
    print_json({{"idle", list}});
  else
    fmt::print("{}\n{}nothing of it is kept; plans for this board count it themselves\n",
               board.info().device.title, table.str());
  return {};
}

Status run_idle(const ModeMeasureArguments& options) {
  FLYBALL_ASSIGN(const std::vector<PowerMode> modes, idle_modes(options));
  FLYBALL_ASSIGN(const auto named, open_named_board(options.device, options.root));
  if (named->twin()) return simulate_idle(options, *named, modes);
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  FLYBALL_ASSIGN(Opened opened, open(options));
  FLYBALL_CHECK(check_modes(*opened.device, modes));
  const auto meter = opened.board->power();
  IdleOptions idle = options.idle;
  idle.interrupted = &interrupt_flag();
  Progress progress(options.quiet);
  std::vector<IdlePower> measured;
  Json list = Json::array();
  for (size_t i = 0; i < modes.size(); ++i) {
    progress.show(i, modes.size(), name_of(modes[i]));
    FLYBALL_ASSIGN(IdlePower one, measure_idle(*opened.device, *meter, modes[i], idle));
    if (modes[i].values.empty()) one.pinned = read_fixed(root).dvfs_pinned;
    list.push_back(idle_json(one));
    list.back()["run"] = nullptr;
    if (opened.store) {  // on the disk before the next mode is set
      FLYBALL_ASSIGN(list.back()["run"], keep_idle(*opened.store, one, options.command));
    }
    measured.push_back(std::move(one));
  }
  progress.finish();
  FLYBALL_CHECK(opened.device->restore());
  if (options.json)
    print_json({{"idle", list}});
  else
    print_idle(measured);
  return {};
}

void print_cost(const SwitchCost& cost) {
  TextTable table({"knob", "from", "to", "median ms", "from ms", "to ms", ""});
  for (const ModeSwitch& change : cost.switches) {
    const Quartiles spread = change.spread();
    table.add({or_dash(change.name), describe(change.from.values), describe(change.to.values),
               number(spread.median), number(spread.q1), number(spread.q3),
               change.unseen > 0
                   ? fmt::format("{} of {} not seen on the clocks", change.unseen, cost.rounds)
                   : ""});
  }
  fmt::print(
      "{}{} rounds in random order (seed {}); from, to: quartiles\n"
      "`flyball plan dynamic` takes {} ms, the dearest change, for a switch\n",
      table.str(), cost.rounds, cost.seed, number(cost.switch_ms()));
}

Status run_cost(const ModeMeasureArguments& options) {
  FLYBALL_ASSIGN(const std::vector<PowerMode> modes, parse_modes(options.modes));
  FLYBALL_ASSIGN(const auto named, open_named_board(options.device, options.root));
  if (named->twin())
    return Error{Code::invalid_argument,
                 named->info().device.title + ": how long a change of mode takes is not simulated",
                 "measure it on the board itself; `flyball plan dynamic --switch-cost 100ms` takes "
                 "a figure of yours"};
  FLYBALL_ASSIGN(Opened opened, open(options));
  FLYBALL_CHECK(check_modes(*opened.device, modes));
  FLYBALL_ASSIGN(auto switches, switches_of(*opened.device, modes));
  SwitchOptions timing = options.cost;
  timing.interrupted = &interrupt_flag();
  Progress progress(options.quiet);
  timing.progress = [&](size_t done, size_t total) { progress.show(done, total, "switches"); };
  FLYBALL_ASSIGN(const SwitchCost cost,
                 measure_switches(*opened.device, std::move(switches), timing));
  progress.finish();
  FLYBALL_CHECK(opened.device->restore());
  Json document = switch_cost_json(cost);
  document["run"] = nullptr;
  if (opened.store) {
    FLYBALL_ASSIGN(document["run"], keep_switch_cost(*opened.store, cost, options.command));
  }
  if (options.json)
    print_json(document);
  else
    print_cost(cost);
  return {};
}

void add_common(CLI::App& command, ModeMeasureArguments& options, const char* modes,
                const std::vector<std::string>& refused) {
  command.add_option("mode", options.modes, modes);
  add_device_option(command, options.device, options.root, {.refused = refused});
  add_store_options(command, options.store);
  add_measuring_options(command, options.measuring);
  add_quiet(command, options.quiet);
  add_json_flag(command, options.json);
}

}  // namespace

void add_mode_idle(CLI::App& mode, Context& context) {
  CLI::App* command =
      mode.add_subcommand("idle", "Measure what the board draws while nothing runs");
  auto options = std::make_shared<ModeMeasureArguments>();
  add_common(*command, *options, "AXIS=VALUE,…, several; none: the mode that the board is in",
             {"table"});
  command->add_option("--run", options->run, "Take the modes of the trials of this run, too");
  add_duration(*command, "--settle",
               [options](Seconds time) { options->idle.settle_s = time.value; },
               "Least wait after a mode was set, then until power has settled; default: 2s",
               {0, 3600, "0s to 1h"});
  add_duration(*command, "--duration",
               [options](Seconds time) { options->idle.seconds = time.value; },
               "How long each mode is measured; default: 10s", {0.1, 86400, "100ms to 24h"});
  command->footer(
      "Example:\n  flyball mode idle\n"
      "  flyball mode idle cpu_cores=4,gpu_mhz=612 cpu_cores=12,gpu_mhz=1300.5 --duration 30s");
  set_action(*command, context, [options, &context] {
    options->command = context.command;
    return run_idle(*options);
  });
}

void add_mode_cost(CLI::App& mode, Context& context) {
  CLI::App* command = mode.add_subcommand("cost", "Measure how long a change of mode takes");
  auto options = std::make_shared<ModeMeasureArguments>();
  add_common(*command, *options,
             "AXIS=VALUE,…, two or more; none: each knob alone, and all at once",
             {"table", "twin"});
  command->add_option("--rounds", options->cost.rounds, "How often each change is timed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_seed(*command, options->cost.seed, "Seed of the order");
  command->footer(
      "Example:\n  flyball mode cost\n  flyball mode cost gpu_mhz=306 gpu_mhz=1300.5 --rounds 20");
  set_action(*command, context, [options, &context] {
    options->command = context.command;
    return run_cost(*options);
  });
}

}  // namespace flyball::cli
