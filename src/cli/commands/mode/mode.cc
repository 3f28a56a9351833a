#include "base/json.h"
#include "device/modes/mode_dispatcher.h"

#include <fmt/format.h>

#include <limits>

#include "base/os/interrupt.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/commands/mode/mode_measure.h"
#include "cli/output.h"
#include "device/modes/rehearsal.h"
#include "device/registry/live_knobs.h"
#include "device/registry/twin_report.h"
#include "telemetry/process/command.h"
#include "telemetry/process/python_package.h"

namespace flyball::cli {
namespace {

struct ModeOptions {
  std::string mode, preset, device, root = "/";
  bool pin_max = false, dry_run = false, json = false;
  const CLI::App* command = nullptr;  ///< that was named
};

struct OpenedBoard {
  BoardName name;  ///< that --device gives
  std::filesystem::path root;
  BoardIdentity identity;
  std::unique_ptr<BoardDevice> device;
};

Result<OpenedBoard> open(const ModeOptions& options) {
  OpenedBoard board;
  FLYBALL_ASSIGN(board.root, root_folder(options.root));
  board.identity = identify_board(board.root);
  FLYBALL_ASSIGN(board.name, parse_board(options.device));
  const BoardName& name = board.name;
  if (name.kind == BoardName::Kind::table)
    return Error{Code::invalid_argument, "a table has no power mode to set",
                 "leave --device out, or name a GPU: --device cuda"};
  if (name.kind == BoardName::Kind::twin)
    return Error{Code::invalid_argument,
                 fmt::format("{} is simulated: there is no board whose mode could be set or held",
                             name.text()),
                 fmt::format("`flyball mode presets --device {}` lists what it has; tune, plan, "
                             "profile and experiment choose modes of it themselves",
                             name.text())};
  const bool named = !options.device.empty();
  // Whether this machine is the board that was named is the registry's to say.
  if (named) FLYBALL_CHECK(open_named_board(options.device, options.root));
  FLYBALL_ASSIGN(board.device, open_live_knobs(named ? name : BoardName{BoardName::Kind::board},
                                               board.identity, board.root));
  return board;
}

// What is no mode may be the name of a preset; and what axes take is this board's.
Error explain_mode(const ModeOptions& options, Error refused, bool stays) {
  if (!refused.hint.starts_with("write AXIS=VALUE")) return refused;
  const auto board = open(options);
  if (!board) return refused;
  const Presets presets = read_presets(board->root, *board->device);
  if (find_preset(presets, options.mode)) {
    refused.message += ", but a preset";
    refused.hint = fmt::format("`flyball mode {} --preset {}{}`", stays ? "set" : "hold",
                               options.mode, stays ? "" : " -- COMMAND");
    return refused;
  }
  std::vector<std::string> parts;
  for (const KnobPtr& knob : board->device->knobs())
    if (parts.size() < 2 && !knob->axis().values.empty())
      parts.push_back(knob->axis().name + "=" + format_number(knob->axis().values.back()));
  if (parts.empty()) return refused;
  refused.hint = fmt::format(
      "write AXIS=VALUE, such as {} (`flyball mode list` shows all){}", join(parts, ","),
      presets.list.empty() ? "" : ", or --preset NAME (`flyball mode presets`)");
  return refused;
}

Result<ModeRequest> request_of(const ModeOptions& options, bool stays) {
  const int asked = (options.mode.empty() ? 0 : 1) + (options.preset.empty() ? 0 : 1);
  if (asked + (options.pin_max ? 1 : 0) == 0 || asked > 1)
    return Error{Code::invalid_argument, "one mode is to be set",
                 "write AXIS=VALUE,…, or --preset NAME; --pin-max pins the clocks at their caps"};
  ModeRequest request{.preset = options.preset, .pin_max = options.pin_max, .stays = stays};
  if (!options.mode.empty()) {
    auto mode = parse_mode(options.mode);
    if (!mode) return explain_mode(options, mode.error(), stays);
    request.mode = *std::move(mode);
  }
  return request;
}

void print_axes(const std::vector<AxisReport>& axes) {
  TextTable table({"axis", "unit", "cap", "now"});
  for (const AxisReport& axis : axes)
    table.add({axis.axis.name, axis.axis.unit, axis.current ? format_number(*axis.current) : "?",
               axis.now ? format_number(*axis.now) : "?"});
  fmt::print("{}", table.str());
}

// Null where `--device` names none.
Result<std::unique_ptr<Board>> simulated_board(const ModeOptions& options) {
  FLYBALL_ASSIGN(const BoardName name, parse_board(options.device));
  if (name.kind != BoardName::Kind::twin) return std::unique_ptr<Board>();
  return open_named_board(options.device, options.root);
}

Status show_simulated(const ModeOptions& options, const Board& board) {
  const BoardReport report = report_of_twin(board);
  if (options.json) {
    const Json null;
    print_json({{"board", {{"id", report.board.id}, {"name", report.board.name}}},
                {"axes", axes_json(report.axes)},
                {"fixed",
                 {{"cpu_governor", null},
                  {"gpu_governor", null},
                  {"dvfs_pinned", true},
                  {"fan_pwm", null},
                  {"idle_states", null}}},
                {"held_by", null},
                {"kept", false},
                {"kept_by", null}});
    return {};
  }
  fmt::print("{} ({})\n", report.board.name, report.board.id);
  print_axes(report.axes);
  fmt::print("simulated: a trial that names no mode runs in this one; nothing stays set\n");
  const Presets presets = board.presets();
  if (const Preset* usual = presets.in_force())
    fmt::print("{}: {}\n", delivered_in(presets), describe(usual->mode.values));
  return {};
}

Status show(const ModeOptions& options) {
  FLYBALL_ASSIGN(const auto simulated, simulated_board(options));
  if (simulated) return show_simulated(options, *simulated);
  FLYBALL_ASSIGN(const OpenedBoard board, open(options));
  if (options.json) {
    print_json(mode_json(board.identity, *board.device, board.root));
    return {};
  }
  fmt::print("{} ({})\n", board.identity.name, board.identity.id);
  print_axes(examine_axes(board.device->knobs()));
  const auto state = mode_json(board.identity, *board.device, board.root);
  for (const auto& [name, value] : state["fixed"].items())
    if (!value.is_null()) fmt::print("{}: {}\n", name, value.dump());
  if (!state["held_by"].is_null())
    fmt::print("set just now by {}\n", state["held_by"].get<std::string>());
  if (state["kept"].get<bool>())
    fmt::print("{} puts back what was before this mode{}\n",
               for_same_board(*options.command, "`flyball mode restore`"),
               state["kept_by"].is_null() ? ""
                                          : fmt::format(", which the helper keeps for {}",
                                                        state["kept_by"].get<std::string>()));
  return {};
}

// Of a board that has no knobs: nothing is in force, and nothing can be set.
Status list_axes(const ModeOptions& options, const Device& device) {
  std::vector<AxisReport> axes;
  for (const Axis& axis : device.axes()) axes.push_back({axis, {}, {}, false});
  if (options.json) {
    print_json({{"axes", axes_json(axes)}});
    return {};
  }
  TextTable table({"axis", "unit", "values"});
  for (const AxisReport& report : axes) {
    std::vector<std::string> values;
    for (double value : report.axis.values) values.push_back(format_number(value));
    table.add({report.axis.name, report.axis.unit, join(values, ", ")});
  }
  fmt::print("{}", table.str());
  for (const std::string& gap : device.gap_texts()) fmt::print("note: {}\n", gap);
  return {};
}

Status list(const ModeOptions& options) {
  FLYBALL_ASSIGN(const auto simulated, simulated_board(options));
  if (simulated) {
    FLYBALL_ASSIGN(const auto knobs, simulated->knobs());
    return list_axes(options, *knobs);
  }
  FLYBALL_ASSIGN(const OpenedBoard board, open(options));
  if (options.json) {
    print_json({{"axes", axes_json(examine_axes(board.device->knobs()))}});
    return {};
  }
  TextTable table({"axis", "unit", "values"});
  for (const KnobPtr& knob : board.device->knobs()) {
    std::vector<std::string> values;
    for (double value : knob->axis().values) values.push_back(format_number(value));
    table.add({knob->axis().name, knob->axis().unit, join(values, ", ")});
  }
  fmt::print("{}", table.str());
  for (const std::string& gap : board.device->gap_texts()) fmt::print("note: {}\n", gap);
  return {};
}

// Of a simulated board what boards/ says of its kind.
Result<Presets> presets_of(const ModeOptions& options) {
  FLYBALL_ASSIGN(const auto simulated, simulated_board(options));
  if (simulated) return simulated->presets();
  FLYBALL_ASSIGN(const OpenedBoard board, open(options));
  return read_presets(board.root, *board.device);
}

Status list_presets(const ModeOptions& options) {
  FLYBALL_ASSIGN(const Presets presets, presets_of(options));
  for (const Error& refused : presets.problems) report_error(refused);
  if (options.json) {
    print_json({{"presets", presets_json(presets.list)}});
    return {};
  }
  FLYBALL_ASSIGN(const auto simulated, simulated_board(options));
  if (presets.list.empty()) {
    if (simulated)
      fmt::print("{}\n", why_no_presets(*simulated));
    else if (presets.problems.empty())
      fmt::print(
          "this board has no etc/nvpmodel.conf, which names presets: in a container mount it; "
          "{} shows what is set without\n",
          for_same_board(*options.command, "`flyball mode list`"));
    return {};
  }
  TextTable table({"id", "preset", "cores and caps", ""});
  for (const Preset& preset : presets.list)
    table.add({fmt::format("{}", preset.id), preset.name, describe(preset.mode.values),
               preset.active       ? "active"
               : preset.is_default ? "default"
                                   : ""});
  fmt::print("{}", table.str());
  if (simulated) fmt::print("from: {}\n", presets.source);
  return {};
}

Json set_json(const ModeOptions& options, const PowerMode& mode) {
  return {{"mode", mode.values},
          {"preset", options.preset.empty() ? Json() : Json(options.preset)},
          {"pinned", options.pin_max || options.preset.empty()}};
}

Status show_writes(const ModeOptions& options, const ModeRequest& request,
                   const OpenedBoard& board) {
  if (board.name.kind == BoardName::Kind::cuda)
    return Error{Code::invalid_argument,
                 fmt::format("the writes of {} cannot be shown: what is set of a GPU are calls of "
                             "NVIDIA's library",
                             board.name.text()),
                 "leave --dry-run out, or --device: without it the board's files are shown"};
  BoardIdentity identity = board.identity;
  // Without --device the name is that of the host, and the board is what this machine is.
  if (!options.device.empty() && board.name.kind == BoardName::Kind::host) identity.id = "host";
  FLYBALL_ASSIGN(const Rehearsal rehearsal, rehearse_mode(identity, board.root, request));
  if (!options.json) {
    fmt::print("{}", rehearsal_text(rehearsal));
    return {};
  }
  Json document = {{"dry_run", true}};
  document.update(set_json(options, rehearsal.mode));
  document.update(rehearsal_json(rehearsal));
  print_json(document);
  return {};
}

Status set(const ModeOptions& options) {
  FLYBALL_ASSIGN(const ModeRequest request, request_of(options, true));
  FLYBALL_ASSIGN(const OpenedBoard board, open(options));
  if (options.dry_run) return show_writes(options, request, board);
  catch_interrupts();
  const WholeWork whole;
  ModeDispatcher dispatcher(*board.device, board.root);
  FLYBALL_ASSIGN(const PowerMode mode, dispatcher.set(request));
  FLYBALL_CHECK(dispatcher.keep());
  if (options.json)
    print_json(set_json(options, mode));
  else
    fmt::print("set and read back: {}\n{} puts back what was before\n", describe(mode.values),
               for_same_board(*options.command, "`flyball mode restore`"));
  return {};
}

Status restore(const ModeOptions& options) {
  FLYBALL_CHECK(parse_board(options.device));
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  catch_interrupts();
  const WholeWork whole;
  FLYBALL_ASSIGN(const size_t settings, restore_kept_modes(root));
  if (options.json)
    print_json({{"restored", settings}});
  else if (settings == 0)
    fmt::print("nothing to put back\n");
  else
    fmt::print("put back {} settings\n", settings);
  return {};
}

Status hold(const ModeOptions& options, Context& context) {
  FLYBALL_ASSIGN(const ModeRequest request, request_of(options, false));
  if (context.program.empty())
    return Error{Code::invalid_argument, "there is no command to run in the mode",
                 context.command + " -- COMMAND"};
  FLYBALL_ASSIGN(const OpenedBoard board, open(options));
  CommandOptions command_options{.streams = Streams::beside(options.json)};
  FLYBALL_ASSIGN(command_options.environment, gpu_environment(board.name, board.root));
  for (std::string& variable : python_environment())
    command_options.environment.push_back(std::move(variable));
  ModeDispatcher dispatcher(*board.device, board.root);
  FLYBALL_ASSIGN(const PowerMode mode, dispatcher.set(request));
  auto started = RunningCommand::start(context.program, command_options);
  if (!started) {
    FLYBALL_CHECK(dispatcher.restore());
    report_error(started.error());
    context.exit_code = start_failure_exit_code(started.error());
    return {};
  }
  RunningCommand& command = **started;
  while (!command.wait_until(std::numeric_limits<int64_t>::max())) continue;
  command.finish(true);
  const Status restored = dispatcher.restore();
  context.exit_code = command.exit_code();
  if (options.json) {
    auto document = set_json(options, mode);
    document["command"] = context.program;
    document["exit_code"] = command.exit_code();
    document["restored"] = restored.ok();
    print_json(document);
  }
  return restored;
}

void add_common(CLI::App& command, ModeOptions& options, bool simulated) {
  DeviceHelp help{.refused = {"table"}};
  if (!simulated) help.refused.emplace_back("twin");
  add_device_option(command, options.device, options.root, help);
  add_json_flag(command, options.json);
}

void add_request(CLI::App& command, ModeOptions& options) {
  command.add_option("mode", options.mode, "AXIS=VALUE,AXIS=VALUE,…: each clock is pinned");
  command.add_option("--preset", options.preset,
                     "One of `flyball mode presets`: caps, as nvpmodel sets them");
  command.add_flag("--pin-max", options.pin_max,
                   "Pin every clock at its cap and keep idle states off, as jetson_clocks does");
  add_common(command, options, false);
}

}  // namespace

void add_mode(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("mode", "Show, set and put back the power mode of this board");
  command->require_subcommand(1);
  command->footer(
      "Example:\n  flyball mode set cpu_cores=4,cpu_mhz=1344,gpu_mhz=612,mem_mhz=2133\n"
      "  flyball mode restore");
  auto options = std::make_shared<ModeOptions>();
  struct Verb {
    const char *name, *summary;
    bool request, simulated;  // does it take AXIS=VALUE,…, and a board that is simulated?
    std::function<Status()> action;
  };
  const Verb verbs[] = {
      {"show", "Show the mode that the board is in", false, true,
       [options] { return show(*options); }},
      {"list", "List the axes, and the values that the board lists", false, true,
       [options] { return list(*options); }},
      {"presets", "List the preset modes of nvpmodel", false, true,
       [options] { return list_presets(*options); }},
      {"set", "Set a mode that stays", true, false, [options] { return set(*options); }},
      {"restore", "Put back what was before `mode set`", false, false,
       [options] { return restore(*options); }},
      {"hold", "Run a command in a mode, then put the old one back: hold MODE -- COMMAND", true,
       false, [options, &context] { return hold(*options, context); }},
  };
  for (const Verb& verb : verbs) {
    CLI::App* sub = command->add_subcommand(verb.name, verb.summary);
    verb.request ? add_request(*sub, *options) : add_common(*sub, *options, verb.simulated);
    if (verb.name == std::string("set"))
      sub->add_flag("--dry-run", options->dry_run,
                    "Show the writes in their order, with what is there now; set nothing");
    sub->footer(fmt::format("Example:\n  flyball mode {}{}", verb.name,
                            !verb.request         ? ""
                            : verb.name[0] == 'h' ? " --preset 15W -- python3 train.py"
                                                  : " --preset 15W"));
    set_action(*sub, context, [options, sub, action = verb.action] {
      options->command = sub;
      return action();
    });
  }
  add_mode_idle(*command, context);
  add_mode_cost(*command, context);
}

}  // namespace flyball::cli
