// flyball record: power and what explains it into a bounded file.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "base/amounts.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/os/guard.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/option_scope.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/recording/record_options.h"
#include "cli/recording/run_of_record.h"
#include "cli/text/record_text.h"
#include "device/registry/board.h"
#include "recording/record_json.h"
#include "recording/sampler_recording.h"
#include "recording/simulated_record.h"
#include "telemetry/process/command.h"
#include "telemetry/process/python_package.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball::cli {
namespace {

struct RecordArguments {
  std::string file, device, root = "/";
  std::optional<Seconds> duration;
  double rate_hz = 100;
  uint64_t most_bytes = usual_record_bytes;
  uint64_t seed = 0;
  bool json = false, quiet = false, duration_typed = false;
  std::vector<std::string> command;
  OptionScope scope;
};

std::string file_of(const RecordArguments& options) {
  return options.file.empty() ? usual_record_file() : options.file;
}

RecordInfo info_of(const RecordArguments& options, const Board& board, const Context& context) {
  RecordInfo info{.command = context.command,
                  .device = board.info().name.text(),
                  .board = board.info().device.title,
                  .provenance = board.twin() ? "simulated" : "measured",
                  .remarks = "",
                  .started_utc = wall_clock_utc(),
                  .rate_hz = options.rate_hz,
                  .most_bytes = options.most_bytes};
  return info;
}

Result<Json> tell(const std::string& file, const RecordArguments& options) {
  FLYBALL_ASSIGN(RecordReader reader, RecordReader::open(file));
  FLYBALL_ASSIGN(const Json document, record_json(reader));
  if (options.json)
    print_json(document);
  else
    fmt::print("{}", record_text(document));
  return document;
}

// In the board's own time: a day takes seconds.
Status record_twin(const RecordArguments& options, const Board& board, Context& context) {
  if (!options.command.empty())
    return Error{Code::invalid_argument, "a simulated board runs no command",
                 "leave it out: it trains and rests in turns"};
  if (!options.duration)
    return Error{Code::invalid_argument, "a simulated record needs its length", "--duration 24h"};
  const TwinBoard& twin = *board.twin();
  RecordInfo info = info_of(options, board, context);
  // The twin's day begins at midnight: its record does not tell when it was made.
  info.started_utc = "1970-01-01T00:00:00Z";
  const Presets presets = board.presets();
  const Preset* const delivered = presets.in_force();
  info.remarks = simulated_remarks(twin, delivered ? delivered->name : "");
  const std::string file = file_of(options);
  FLYBALL_ASSIGN(SampleRecorder recorder,
                 SampleRecorder::create(file, info, simulated_channels(twin, options.rate_hz)));
  Progress progress(options.quiet);
  const auto show = [&](double share) {
    progress.show_share(static_cast<size_t>(1000 * share), 1000, file);
  };
  FLYBALL_ASSIGN(const double seconds,
                 simulate_record(twin,
                                 {.seconds = options.duration->value,
                                  .rate_hz = options.rate_hz,
                                  .mode = delivered ? delivered->mode : PowerMode(),
                                  .seed = options.seed,
                                  .interrupted = &interrupt_flag(),
                                  .progress = show},
                                 recorder));
  progress.finish();
  const bool whole = seconds >= options.duration->value;
  FLYBALL_CHECK(recorder.finish(nanoseconds(seconds), whole ? "duration" : "interrupted"));
  if (!whole) context.exit_code = interrupted_exit_code();
  FLYBALL_ASSIGN(const Json document, tell(file, options));
  return {};
}

Status add_sensors(const RecordArguments& options, const RecordSensors& sensors, Sampler& sampler) {
  constexpr Seconds kept{30};  // what is written is needed no more
  const Seconds period{1 / options.rate_hz};
  for (const SensorPtr& sensor : sensors.power.sensors)
    FLYBALL_CHECK(sampler.add(sensor, reading_period(sensor->info(), period), kept));
  for (const SensorPtr& sensor : sensors.rest.sensors)
    FLYBALL_CHECK(sampler.add(sensor, {1.0}, kept));
  return {};
}

// Did it start? A file that fails meanwhile is told of at the end: what the command does counts
// more.
bool follow_command(const RecordArguments& options, SamplerRecording& recording, Context& context) {
  constexpr int64_t look_ns = 1'000'000'000;  // for what the command leaves to us
  const int64_t begin_ns = monotonic_ns();
  const auto started = RunningCommand::start(
      options.command,
      {.environment = python_environment(), .streams = Streams::beside(options.json)});
  if (!started) {
    report_error(started.error());
    context.exit_code = start_failure_exit_code(started.error());
    return false;
  }
  RunningCommand& command = **started;
  recording.mark(begin_ns, "begin: " + join(options.command, " "));
  while (!command.wait_until(monotonic_ns() + look_ns)) command.refresh();
  const int64_t end_ns = monotonic_ns();
  command.finish(true);
  context.exit_code = command.exit_code();
  recording.mark(end_ns, fmt::format("end: exit code {}", context.exit_code));
  return true;
}

std::string follow_time(const RecordArguments& options, const SamplerRecording& recording,
                        Context& context) {
  constexpr int64_t look_ns = 100'000'000;  // for signals
  const int64_t end_ns = options.duration ? monotonic_ns() + nanoseconds(options.duration->value)
                                          : std::numeric_limits<int64_t>::max();
  while (monotonic_ns() < end_ns && !is_interrupted(&interrupt_flag()) && !recording.failed())
    sleep_until_ns(std::min(end_ns, monotonic_ns() + look_ns));
  const bool interrupted = is_interrupted(&interrupt_flag());
  if (interrupted && options.duration) context.exit_code = interrupted_exit_code();
  return interrupted ? "interrupted" : "duration";
}

Status finish_and_tell(const RecordArguments& options, const std::string& file,
                       const std::string& stopped, SamplerRecording& recording,
                       std::optional<RunOfRecord>& run) {
  FLYBALL_CHECK(recording.finish(stopped));
  FLYBALL_ASSIGN(const Json document, tell(file, options));
  if (run) run->finish(document);
  return {};
}

Status record_host(const RecordArguments& options, const Board& board, Context& context) {
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  const RecordSensors sensors = open_record_sensors(board, root);
  RecordInfo info = info_of(options, board, context);
  info.gaps = sensors.power.gaps;
  const std::string file = file_of(options);
  Sampler sampler;
  FLYBALL_CHECK(add_sensors(options, sensors, sampler));
  const bool runs = !options.command.empty();
  std::optional<RunOfRecord> run;
  if (runs) {
    Guard::start();  // no part of the command's time
    run.emplace(RecordedCommand{context.command, "record", join(options.command, " ")},
                board.info().device, file);
    info.runs = run->runs();
  }
  SamplerRecording recording(file, std::move(info));
  sampler.tell(&recording);
  if (sampler.size() > 0) FLYBALL_CHECK(sampler.start());
  std::string stopped;
  if (runs && !follow_command(options, recording, context)) {
    sampler.stop();
    discard(recording, file);
    return {};
  }
  if (runs)
    stopped = "command ended";
  else if (sampler.size() > 0)
    stopped = follow_time(options, recording, context);
  sampler.stop();
  if (run) recording.set_runs(run->runs());
  const Status kept = finish_and_tell(options, file, stopped, recording, run);
  if (kept.ok() || context.exit_code == 0) return kept;
  report_error(kept.error());  // how the command ended counts more
  return {};
}

Status run(RecordArguments& options, Context& context) {
  if (!options.command.empty() && !options.duration_typed) options.duration.reset();
  if (!options.command.empty() && options.duration)
    return Error{Code::invalid_argument, "a command is recorded until it ends",
                 "leave out --duration, or the command"};
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (!board->live())
    return Error{Code::invalid_argument, "a table draws no power now",
                 "record this machine, or a simulated board: --device twin:orin_agx"};
  FLYBALL_CHECK(options.scope.check(board->twin() ? Target::twin : Target::network));
  catch_interrupts();
  return board->twin() ? record_twin(options, *board, context)
                       : record_host(options, *board, context);
}

// Slower channels than these are kept as what is read once a second is (RecordChannel::slow()).
CLI::Validator rate_check() {
  return {[](const std::string& text) -> std::string {
            const auto rate = parse_double(text);
            if (rate && *rate >= 2.5 && *rate <= 1000) return "";
            return fmt::format("'{}' is out of bounds: say 2.5 to 1000 samples of power a second",
                               text);
          },
          "FLOAT in [2.5 - 1000]"};
}

}  // namespace

void add_record(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "record", "Record power, clocks and temperatures over hours, in a bounded file");
  auto options = std::make_shared<RecordArguments>();
  note_given(
      add_duration(*command, "--duration", [options](Seconds time) { options->duration = time; },
                   "How long; default: until the command ends, or Ctrl-C",
                   {0.1, 3660.0 * 24 * 365, "100ms to 1 year"}),
      options->duration_typed);
  command
      ->add_option("--rate", options->rate_hz, "Samples of power a second; the rest is read once")
      ->check(rate_check())
      ->capture_default_str();
  add_record_bytes(*command, options->most_bytes);
  writes(command->add_option("--out,-o", options->file,
                             "File to write; default: flyball-DATE-TIME.flyrec"));
  add_device_option(*command, options->device, options->root, {.refused = {"table"}});
  options->scope.exclude({Target::network},
                         {add_seed(*command, options->seed, "Seed of a simulated board")},
                         {.remedy = "leave it out, or simulate a board: --device twin:orin_agx",
                          .reason = "is of simulated boards alone"});
  add_json_flag(*command, options->json, "; a command's own output goes to stderr");
  add_quiet(*command, options->quiet);
  command->add_option("command", options->command, "Command to run and record, after --");
  command->footer(
      "`flyball report FILE` shows the record as a page, `flyball export FILE` writes it as CSV.\n"
      "Examples:\n  flyball record --duration 1h -o run.flyrec\n"
      "  flyball record --rate 1000 -- python3 train.py\n"
      "  flyball record --device twin:orin_agx --duration 24h -o day.flyrec");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
