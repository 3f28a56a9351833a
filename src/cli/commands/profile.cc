#include <fmt/format.h>

#include "base/os/interrupt.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/measuring.h"
#include "cli/memory_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/recording/record_options.h"
#include "cli/report_file.h"
#include "cli/script_options.h"
#include "cli/stored.h"
#include "cli/text/profile_text.h"
#include "cli/trace_files.h"
#include "cli/training_options.h"
#include "device/registry/board.h"
#include "profile/characterise/epochs_report.h"
#include "profile/characterise/twin_epochs.h"
#include "report/page.h"
#include "space/named_source.h"
#include "telemetry/sensors/nvidia_gpus.h"
#include "telemetry/sensors/power_sensors.h"
#include "tune/board_costs.h"
#include "workload/checkpoint.h"
#include "workload/stepper.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

struct ProfileOptions {
  const CLI::App* command = nullptr;
  EpochRequest request;
  std::string workload, phase = "train", device, root = "/", data;
  std::string on_bad = "fail";
  TrainingOptions training;
  Seconds patience{300};
  ScriptOptions script;
  TraceFiles files;
  RecordOption record;
  MeasuringOptions measuring;
  std::string report;
  MemoryOptions memory;
  OptionScope scope;  ///< of the options above
  bool json = false, quiet = false;
};

// More threads than cores would only wait for each other, for minutes and without a word.
Status check_threads(int threads) {
  const size_t cores = usable_cores();
  if (threads >= 0 && static_cast<size_t>(threads) <= cores) return {};
  return Error{
      Code::invalid_argument,
      fmt::format("--threads {}: {} core{} may be used here", threads, cores,
                  cores == 1 ? "" : "s"),
      cores == 1 ? "give 1, or 0 for all" : fmt::format("give 1 to {}, or 0 for all", cores)};
}

SensorList context_of(const ProfileOptions& options, const std::filesystem::path& root) {
  return options.record.given() ? record_context(root) : options.files.context_with_gpu(root);
}

// Who is told of what is sampled.
SamplingListener* listener_of(ProfileOptions& options, const BoardInfo& board,
                              const SensorList& power, const Context& context) {
  const std::string workload =
      context.program.empty() ? options.workload : join(context.program, " ");
  return options.record.begin({context.command, "profile", workload}, board,
                              options.request.interval.value, power);
}

void tell_record(const ProfileOptions& options) {
  if (options.record.given() && !options.json) fmt::print("record: {}\n", options.record.words());
}

Status complete(ProfileOptions& options, const Context& context) {
  EpochRequest& request = options.request;
  FLYBALL_CHECK(check_threads(request.step.threads));
  StepOptions& step = request.step;
  FLYBALL_ASSIGN(step.phase, parse_phase(options.phase));
  FLYBALL_CHECK(read_training_options(options.training, options.workload, step));
  if (step.accumulate > step.batch_size)
    return Error{
        Code::invalid_argument,
        fmt::format("a minibatch of {} samples has no {} parts", step.batch_size, step.accumulate),
        fmt::format("--accumulate takes 1 to {} here", step.batch_size)};
  request.size.image_size = options.training.image_size;
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (!board->live())
    return Error{Code::invalid_argument, "a table is read, it does not run",
                 "profile on this machine: --device host"};
  step.device = compute_place(board->info());
  FLYBALL_CHECK(check_device(step.device));
  request.memory_check =
      !options.memory.no_check && (step.device == "cpu" || board->info().may_compute_on_gpu);
  request.memory = options.memory.bytes;
  request.on_bad = options.on_bad == "skip" ? OnBadSample::skip : OnBadSample::fail;
  request.workload = options.workload;
  FLYBALL_ASSIGN(request.script,
                 read_script_options(options.script, options.workload, options.data));
  if (!request.resume.empty()) FLYBALL_CHECK(check_checkpoint_file(request.resume));
  if (request.script.drawn.empty()) {
    FLYBALL_ASSIGN(request.data, dataset_folder(options.workload, options.data, options.quiet));
  }
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  request.sensors = open_power_sensors(root, board->info().gpu);
  request.context = context_of(options, root);
  request.gpu = sensor_number(root, step.device);
  request.interrupted = &interrupt_flag();
  request.keep_minibatches = !options.files.trace.empty();
  request.listener = listener_of(options, board->info(), request.sensors, context);
  return {};
}

// A log that cannot be joined is said; what was measured is shown all the same.
template <class Profile>
Status join_plug_log(const ProfileOptions& options, Profile& profile) {
  FLYBALL_ASSIGN(std::optional<Trace> log, options.files.plug_log());
  return log ? join_plug(profile, *std::move(log)) : Status();
}

// Idle power of the mode that the board is in, where the default store knows it.
Result<std::optional<StoredIdle>> idle_here(const ProfileOptions& options,
                                            const std::string& total) {
  std::error_code ignored;
  if (total.empty() || !std::filesystem::exists(Store::default_place(), ignored))
    return std::optional<StoredIdle>();
  FLYBALL_ASSIGN(Store store, open_stored(""));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  return idle_of_present_mode(store, *board, root, total);
}

// The page cache is empty at first, as after a start of the board.
Status run_simulated(const ProfileOptions& options, const Board& board, Context& context) {
  FLYBALL_CHECK(options.scope.check(Target::twin));
  TwinEpochs wanted;
  wanted.request = options.request;
  wanted.request.workload = options.workload;
  FLYBALL_ASSIGN(wanted.request.step.phase, parse_phase(options.phase));
  FLYBALL_ASSIGN(const EpochRun run, simulate_epochs(board, wanted));
  auto document = epochs_json(run);
  std::optional<StoredIdle> idle;
  const auto power_w = run.mean_power_w();
  if (power_w) {
    FLYBALL_ASSIGN(const auto simulated, simulated_idle(board, {wanted.mode}));
    idle = StoredIdle{.idle = simulated.front()};
    document["idle"] = to_json(idle_share(*idle, *power_w));
  }
  if (options.json)
    print_json(document);
  else
    print_epochs(run);
  if (!options.json && idle) fmt::print("{}\n", to_text(idle_share(*idle, *power_w)));
  return write_report(options.report, page_document("profile", context.command, document),
                      options.json);
}

std::vector<Span> epoch_marks(const EpochRun& run) {
  std::vector<Span> marks;
  for (const EpochRecord& epoch : run.epochs)
    marks.push_back({"epoch", fmt::format("epoch {}", epoch.epoch), epoch.begin_ns, epoch.end_ns});
  return marks;
}

Status run_network(ProfileOptions& options, Context& context) {
  const bool network = read_source(options.workload).kind == NamedSource::Kind::network;
  FLYBALL_CHECK(options.scope.check(network ? Target::network : Target::script, options.workload));
  FLYBALL_CHECK(options.files.check());
  FLYBALL_CHECK(options.record.check());
  FLYBALL_CHECK(complete(options, context));
  Progress progress(options.quiet);
  const auto epochs = static_cast<size_t>(std::max(0, options.request.epochs));
  std::optional<int> first;  // a training that is resumed begins later than at 0
  options.request.progress = [&](int epoch, int64_t done, int64_t of) {
    const auto each = static_cast<size_t>(of);
    if (!first) first = epoch;
    progress.show(static_cast<size_t>(epoch - *first) * each + static_cast<size_t>(done),
                  epochs * each, fmt::format("epoch {}", epoch));
  };
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.measuring));
  auto result = run_epochs(options.request);
  progress.finish();
  if (!result) options.record.give_up(result.error().message);
  FLYBALL_ASSIGN(EpochRun run, std::move(result));
  const Status joined = join_plug_log(options, run);
  auto document = epochs_json(run);
  // What was measured is shown, whatever the store holds.
  const auto known_idle = idle_here(options, run.power_total);
  if (!known_idle) report_error(known_idle.error());
  const std::optional<StoredIdle> idle = known_idle ? *known_idle : std::nullopt;
  const auto power_w = run.mean_power_w();
  if (idle && power_w) document["idle"] = to_json(idle_share(*idle, *power_w));
  if (options.json)
    print_json(document);
  else
    print_epochs(run);
  if (!options.json && power_w)
    fmt::print("{}\n", idle ? to_text(idle_share(*idle, *power_w))
                            : for_same_board(*options.command,
                                             fmt::format("how much of {} W is idle power is not "
                                                         "known: `flyball mode idle` measures it",
                                                         number(*power_w))));
  FLYBALL_CHECK(write_report(options.report, page_document("profile", context.command, document),
                             options.json));
  FLYBALL_CHECK(options.files.write(run.traces, run.spans(), run.epochs.front().begin_ns));
  FLYBALL_CHECK(options.record.finish(epoch_marks(run), "run ended", document));
  tell_record(options);
  if (run.diverged_in()) context.exit_code = 1;
  if (!run.stopped.empty() && is_interrupted(&interrupt_flag()))
    context.exit_code = interrupted_exit_code();
  if (!run.failure) return joined;
  if (!joined.ok()) report_error(joined.error());
  context.exit_code = report_error(*run.failure);
  return {};
}

Status run_program(ProfileOptions& options, Context& context) {
  ProgramRequest request;
  FLYBALL_CHECK(check_alone(options.workload));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  FLYBALL_CHECK(board->check_runs_programs());
  const BoardInfo& info = board->info();
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  FLYBALL_ASSIGN(request.environment, gpu_environment(info.name, root));
  FLYBALL_CHECK(options.scope.check(Target::program));
  FLYBALL_CHECK(options.files.check());
  request.argv = context.program;
  request.steps = options.request.steps;
  request.patience = options.patience;
  request.interval = options.request.interval;
  request.streams = Streams::beside(options.json);
  request.sensors = open_power_sensors(root, info.gpu);
  request.context = context_of(options, root);
  FLYBALL_CHECK(options.record.check());
  request.listener = listener_of(options, info, request.sensors, context);
  if (info.name.kind == BoardName::Kind::cuda) {
    request.compute = info.compute;
    request.gpu = sensor_number(root, info.compute);
  }
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.measuring));
  auto result = profile_program(request);
  if (!result) options.record.discard();
  FLYBALL_ASSIGN(ProgramProfile profile, std::move(result));
  const Status joined = join_plug_log(options, profile);
  const auto document = program_json(profile);
  if (options.json)
    print_json(document);
  else
    print_program(profile);
  FLYBALL_CHECK(write_report(options.report, page_document("profile", context.command, document),
                             options.json));
  FLYBALL_CHECK(options.files.write(profile.traces, profile.spans(), profile.begin_ns));
  const Span begin{"program", "begin: " + join(request.argv, " "), profile.begin_ns,
                   profile.end_ns};
  const Span end{"program", "end", profile.end_ns, profile.end_ns};
  FLYBALL_CHECK(options.record.finish({begin, end}, "program ended", document));
  tell_record(options);
  if (!profile.failure) return joined;
  if (!joined.ok()) report_error(joined.error());
  context.exit_code = report_error(*profile.failure);
  return {};
}

Status run(ProfileOptions& options, Context& context) {
  if (!options.report.empty()) FLYBALL_CHECK(check_writable(options.report));
  if (!options.request.save.empty()) FLYBALL_CHECK(check_writable(options.request.save));
  if (!context.program.empty()) return run_program(options, context);
  if (options.workload.empty())
    return Error{Code::invalid_argument, "there is nothing to profile",
                 "name one of `flyball workloads`, or a program after --"};
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (board->twin()) return run_simulated(options, *board, context);
  if (!options.request.save.empty()) set_interrupt_patience(0);  // a minibatch ends, and is kept
  return run_network(options, context);
}

// What a program of the user's own decides itself.
void add_step_options(CLI::App& command, ProfileOptions& options) {
  EpochRequest& request = options.request;
  const std::initializer_list<Target> others = {Target::program, Target::twin};
  options.scope.exclude(
      {Target::program},
      {takes_one_of(command.add_option("--phase", options.phase, "Phase"), {"train", "infer"})
           ->capture_default_str(),
       add_batch_size(command, request.step.batch_size), add_seed(command, request.step.seed)});
  options.scope.exclude(
      others, {command.add_option(
                   "--tokens", request.size.tokens,
                   "Tokens of a row of text, 32 to 512, longer texts take several rows; 0: 128"),
               command
                   .add_option("--threads", request.step.threads,
                               "Threads of one operation; 0: all usable cores")
                   ->capture_default_str()});
  options.scope.exclude(others, add_training_options(command, options.training));
}

void add_run_options(CLI::App& command, ProfileOptions& options) {
  EpochRequest& request = options.request;
  options.scope.exclude(
      {Target::program},
      {command.add_option("--epochs", request.epochs, "Epochs; the first one stands apart")
           ->check(CLI::Range(1, 1'000'000))
           ->capture_default_str()});
  options.scope.exclude({Target::program},
                        add_loader_options(command, request.workers, request.prefetch));
  options.scope.exclude({Target::program},
                        {command.add_flag("--drop-last", request.drop_last,
                                          "Leave out a last minibatch that is not full")});
  command.add_option("--steps", request.steps, "Most minibatches per epoch; 0: all")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  add_interval(command, request.interval, "Time between samples of power, 1ms to 1h");
  options.scope.exclude({Target::twin}, {command.get_option("--interval")},
                        {.remedy = "leave it out: what is simulated is not sampled"});
}

// Of networks that run here, and of programs.
void add_live_options(CLI::App& command, ProfileOptions& options) {
  EpochRequest& request = options.request;
  const std::initializer_list<Target> others = {Target::program, Target::twin};
  options.scope.exclude(
      others,
      {add_data_option(command, options.data),
       writes(
           command.add_option("--save", request.save, "Keep the training here after each epoch")),
       // No TEXT: the file may be that of --save, which replaces it in one step once it was read.
       command
           .add_option("--resume", request.resume,
                       "Go on with a training that --save kept, at its learning rate and weight "
                       "decay unless others "
                       "are given")
           ->type_name("CHECKPOINT"),
       command
           .add_option("--on-bad", options.on_bad,
                       "What a bad sample does: fail, or skip (counted)")
           ->check(CLI::IsMember({"fail", "skip"}))
           ->capture_default_str(),
       add_size(
           command, "--cache",
           [&request](uint64_t bytes) {
             request.cache_bytes = bytes;
             request.share_cache = true;
           },
           "Memory for samples of the first epoch, never evicted, shared with other runs on the "
           "same data")});
  options.scope.exclude(others, add_memory_options(command, options.memory));
  add_script_options(command, options.script, options.scope);
  options.scope.exclude({Target::twin}, options.files.add_options(command));
  options.scope.exclude({Target::twin}, {options.record.add(command)});
  CLI::Option* patience =
      add_duration(command, "--patience", [&options](Seconds time) { options.patience = time; },
                   "Time without a mark after which a program that marked counts as hanging",
                   {0.001, 1e9, "at least 1ms"})
          ->default_str("5min");
  options.scope.exclude({Target::network, Target::script, Target::twin}, {patience},
                        {.remedy = "it is for a program of your own, after --"});
}

}  // namespace

void add_profile(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("profile", "Find where the time and energy of a training run go");
  auto options = std::make_shared<ProfileOptions>();
  options->command = command;
  command->add_option("workload,--workload", options->workload,
                      "Network, or script:FILE (TorchScript)");
  add_device_option(*command, options->device, options->root, {.refused = {"table"}});
  add_run_options(*command, *options);
  add_step_options(*command, *options);
  add_live_options(*command, *options);
  add_measuring_options(*command, options->measuring);
  add_report_option(*command, options->report);
  add_quiet(*command, options->quiet);
  add_json_flag(*command, options->json);
  command->footer(
      "A program of your own goes after -- and marks its minibatches (docs/your-model.md); then\n"
      "--steps, --patience, --interval, --trace, --csv, --plug, --report and --json hold.\n"
      "Example:\n  flyball profile lenet5 --epochs 2 --workers 2\n"
      "  flyball profile --device host -- python3 train.py");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
