#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_line.h"
#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/option_scope.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/recording/record_options.h"
#include "cli/standard_output.h"
#include "monitor/frame_text.h"
#include "monitor/watch.h"
#include "recording/frame_record.h"

namespace flyball::cli {
namespace {

struct MonitorOptions {
  const CLI::App* command = nullptr;
  std::string device, root = "/", replay;
  std::optional<Seconds> given_interval;
  std::optional<double> duration_s;
  bool once = false, json = false;
  bool device_typed = false, interval_typed = false, duration_typed = false, once_typed = false;

  Seconds interval() const { return given_interval.value_or(Seconds{1}); }
};

// A file's defaults of what this look has not: a board and its pace, or an end.
void leave_defaults(MonitorOptions& options) {
  const bool replays = !options.replay.empty();
  if (replays && !options.device_typed) options.device.clear();
  if (replays && (options.once || options.json) && !options.interval_typed)
    options.given_interval.reset();
  if (!options.once || !options.duration_s) return;
  if (!options.duration_typed)
    options.duration_s.reset();
  else if (!options.once_typed)
    options.once = false;
}

Result<std::unique_ptr<FrameReader>> open(const MonitorOptions& options) {
  if (!options.replay.empty()) {
    if (!options.device.empty() || options.root != "/")
      return Error{Code::invalid_argument, "--replay shows what was recorded: it takes no board",
                   "leave --device and --root out"};
    if (options.given_interval && (options.once || options.json))
      return Error{Code::invalid_argument, "--interval paces the screen that --replay shows",
                   "leave it out with --once and --json"};
    return open_replayed_frames(options.replay);
  }
  FLYBALL_CHECK(check_machine_options(options.device, options.root));
  FrameOptions frames{.interval = options.interval()};
  FLYBALL_ASSIGN(frames.root, root_folder(options.root));
  return open_frames(options.device, frames);
}

Status print_frame(const BoardFrame& frame, const MonitorOptions& options) {
  return write_output(options.json ? json_line(to_json(frame)) + "\n"
                                   : for_same_board(*options.command, frame_text(frame)));
}

// Load and rates are of the time between two looks.
Status show_once(FrameReader& reader, const MonitorOptions& options) {
  FLYBALL_ASSIGN(auto frame, reader.read());
  if (reader.live()) {
    sleep_until_ns(monotonic_ns() + nanoseconds(options.interval().value));
    FLYBALL_ASSIGN(frame, reader.read());
  }
  return frame ? print_frame(*frame, options) : Status();
}

// Of the key r: what is shown, as often as it is shown.
MakeFrameSink recording_of(const MonitorOptions& options, const Context& context) {
  return [&options, &context](const BoardFrame& first) {
    return record_frames(first, {.file = usual_record_file(),
                                 .command = context.command,
                                 .device = options.device.empty() ? "host" : options.device,
                                 .interval_s = options.interval().value,
                                 .most_bytes = usual_record_bytes});
  };
}

Status watch(FrameReader& reader, const MonitorOptions& options, Context& context) {
  catch_interrupts();
  // Simulated seconds that are counted out need no waiting for, nor does a file as data.
  const bool is_file = !options.replay.empty();
  WatchOptions how{.interval_s = options.interval().value, .duration_s = options.duration_s};
  const auto finish = [&context](const Status& status) {
    if (status.ok() && is_interrupted(&interrupt_flag()))
      context.exit_code = interrupted_exit_code();
    return status;
  };
  if (!options.json) {
    if (!is_file) how.record = recording_of(options, context);
    auto screen = TerminalScreen::open();
    if (screen) return finish(watch_on_screen(reader, how, **screen));
  }
  const bool is_data = is_file && (options.json || ::isatty(STDOUT_FILENO) == 0);
  how.paced = !is_data && !options.duration_s;
  return finish(watch_frames(reader, how, [&](const BoardFrame& frame) -> Status {
    return write_output((options.json ? json_line(to_json(frame)) : frame_line(frame)) + "\n");
  }));
}

Status monitor(MonitorOptions& options, Context& context) {
  leave_defaults(options);
  if (options.once && options.duration_s)
    return Error{Code::invalid_argument, "--once shows one frame: it takes no --duration",
                 "leave one of them out"};
  FLYBALL_ASSIGN(const auto reader, open(options));
  if (options.once) return show_once(*reader, options);
  return watch(*reader, options, context);
}

}  // namespace

void add_monitor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "monitor", "Show what this board does now: power, clocks, load, heat, memory, who sets it");
  auto options = std::make_shared<MonitorOptions>();
  options->command = command;
  add_device_option(*command, options->device, options->root, {.refused = {"table"}});
  note_given(command->get_option("--device"), options->device_typed);
  note_given(add_duration(*command, "--interval",
                          [options](Seconds value) { options->given_interval = value; },
                          "Time between frames, 10ms to 1h; default: 1s",
                          {.least = 0.01, .most = 3600, .words = "10ms to 1h"}),
             options->interval_typed);
  note_given(
      add_duration(
          *command, "--duration", [options](Seconds value) { options->duration_s = value.value; },
          "End after this time; default: until q or Ctrl-C", above_zero("s")),
      options->duration_typed);
  note_given(
      command->add_flag("--once", options->once, "Print one frame as text, without a screen"),
      options->once_typed);
  command->add_option("--replay", options->replay,
                      "Show the frames of a file that `flyball monitor --json` wrote");
  add_json_flag(*command, options->json, " for each frame, a line each");
  command->footer(
      "Example:\n  flyball monitor --interval 100ms\n"
      "  flyball monitor --device twin:orin_nano\n"
      "  flyball monitor --json --duration 1min > day.jsonl && flyball monitor --replay day.jsonl");
  set_action(*command, context,
             [options, &context]() -> Status { return monitor(*options, context); });
}

}  // namespace flyball::cli
