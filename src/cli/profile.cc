#include <fmt/format.h>

#include "base/interrupt.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/profile_text.h"
#include "cli/trace_files.h"
#include "device/board.h"
#include "profile/characterise/epochs_report.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball::cli {
namespace {

struct ProfileOptions {
  EpochRequest request;
  std::string workload, phase = "train", device, root = "/", data;
  std::string optimizer = "sgd", precision = "fp32", on_bad = "fail", interval = "10ms";
  std::string patience = "5min";
  TraceFiles files;
  bool json = false, quiet = false;
};

Status complete(ProfileOptions& options) {
  EpochRequest& request = options.request;
  StepOptions& step = request.step;
  FLYBALL_ASSIGN(step.phase, parse_phase(options.phase));
  FLYBALL_ASSIGN(step.optimizer, parse_optimizer(options.optimizer));
  FLYBALL_ASSIGN(step.precision, parse_precision(options.precision));
  FLYBALL_ASSIGN(request.interval, parse_seconds(options.interval));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (!board->live())
    return Error{Code::invalid_argument, "a table is read, it does not run",
                 "profile on this machine: --device host"};
  step.device = compute_place(board->info());
  request.on_bad = options.on_bad == "skip" ? OnBadSample::skip : OnBadSample::fail;
  request.workload = options.workload;
  FLYBALL_ASSIGN(request.data, dataset_folder(options.workload, options.data, options.quiet));
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  request.sensors = open_power_sensors(root);
  request.context = options.files.context(root);
  request.interrupted = &interrupt_flag();
  return {};
}

// A log that cannot be joined is said; what was measured is shown all the same.
template <class Profile>
Status join_plug_log(const ProfileOptions& options, Profile& profile) {
  FLYBALL_ASSIGN(std::optional<Trace> log, options.files.plug_log());
  return log ? join_plug(profile, *std::move(log)) : Status();
}

Status run_network(ProfileOptions& options) {
  FLYBALL_CHECK(complete(options));
  Progress progress(options.quiet);
  const auto epochs = static_cast<size_t>(std::max(0, options.request.epochs));
  options.request.progress = [&](int epoch, int64_t done, int64_t of) {
    const auto each = static_cast<size_t>(of);
    progress.show(static_cast<size_t>(epoch) * each + static_cast<size_t>(done), epochs * each,
                  fmt::format("epoch {}", epoch));
  };
  catch_interrupts();
  auto result = run_epochs(options.request);
  progress.finish();
  FLYBALL_ASSIGN(EpochRun run, std::move(result));
  const Status joined = join_plug_log(options, run);
  if (options.json)
    print_json(epochs_json(run));
  else
    print_epochs(run);
  FLYBALL_CHECK(options.files.write(run.traces, run.spans(), run.epochs.front().begin_ns));
  return joined;
}

Status run_program(const ProfileOptions& options, const std::vector<std::string>& program) {
  ProgramRequest request;
  if (!options.workload.empty())
    return Error{Code::invalid_argument,
                 fmt::format("'{}' and a program after -- are two things to run", options.workload),
                 "name one of them"};
  FLYBALL_ASSIGN(const BoardName device, parse_board(options.device));
  if (device.kind != "host" && device.kind != "jetson" && device.kind != "board")
    return Error{Code::invalid_argument,
                 fmt::format("--device {} says nothing to a program", options.device),
                 "the program itself chooses its device; use --device host"};
  request.argv = program;
  request.steps = options.request.steps;
  FLYBALL_ASSIGN(request.patience, parse_seconds(options.patience));
  FLYBALL_ASSIGN(request.interval, parse_seconds(options.interval));
  request.stdout_to_stderr = options.json;  // the document is alone on stdout
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  request.sensors = open_power_sensors(root);
  request.context = options.files.context(root);
  FLYBALL_ASSIGN(ProgramProfile profile, profile_program(request));
  const Status joined = join_plug_log(options, profile);
  if (options.json)
    print_json(program_json(profile));
  else
    print_program(profile);
  FLYBALL_CHECK(options.files.write(profile.traces, profile.spans(), profile.begin_ns));
  return joined;
}

Status run(ProfileOptions& options, const Context& context) {
  if (!context.program.empty()) return run_program(options, context.program);
  if (options.workload.empty())
    return Error{Code::invalid_argument, "there is nothing to profile",
                 "name one of `flyball workloads`, or a program after --"};
  return run_network(options);
}

void add_step_options(CLI::App& command, ProfileOptions& options) {
  EpochRequest& request = options.request;
  command.add_option("--phase", options.phase, "train or infer")->capture_default_str();
  command.add_option("--batch-size", request.step.batch_size, "samples of a minibatch")
      ->capture_default_str();
  command.add_option("--optimizer", options.optimizer, "sgd (momentum 0.9) or adam")
      ->capture_default_str();
  command.add_option("--learning-rate", request.step.learning_rate, "")->capture_default_str();
  command.add_option("--precision", options.precision, "fp32, or bf16 (autocast)")
      ->capture_default_str();
  command.add_flag("--channels-last", request.step.channels_last, "keep images as NHWC in memory");
  command.add_option("--threads", request.step.threads, "of one operation; 0: all usable cores")
      ->capture_default_str();
  command.add_option("--seed", request.step.seed, "of everything random")->capture_default_str();
  check_seed(command);
}

void add_run_options(CLI::App& command, ProfileOptions& options) {
  EpochRequest& request = options.request;
  command.add_option("--epochs", request.epochs, "epochs; the first one stands apart")
      ->capture_default_str();
  command.add_option("--steps", request.steps, "at most so many minibatches per epoch; 0: all")
      ->capture_default_str();
  command.add_option("--workers", request.workers, "threads that load; 0: inline")
      ->capture_default_str();
  command.add_option("--prefetch", request.prefetch, "minibatches each worker may be ahead")
      ->capture_default_str();
  command.add_flag("--drop-last", request.drop_last, "leave out a last minibatch that is not full");
  command.add_option("--on-bad", options.on_bad, "what a bad sample does: fail, or skip (counted)")
      ->check(CLI::IsMember({"fail", "skip"}))
      ->capture_default_str();
  command
      .add_option("--patience", options.patience,
                  "a program that marked and then marks nothing for so long hangs")
      ->capture_default_str();
  command.add_option("--interval", options.interval, "between samples of power")
      ->capture_default_str();
}

}  // namespace

void add_profile(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("profile", "where the time and energy of a training run go");
  auto options = std::make_shared<ProfileOptions>();
  command->add_option("workload,--workload", options->workload,
                      "network, or script:FILE (TorchScript)");
  add_device_option(*command, options->device, options->root);
  command->add_option("--data,--dataset", options->data,
                      "dataset folder; drawn into the cache folder where it is not given");
  add_run_options(*command, *options);
  add_step_options(*command, *options);
  options->files.add_options(*command);
  command->add_flag("--quiet,-q", options->quiet, "no progress");
  add_json_flag(*command, options->json);
  command->footer(
      "A program of your own goes after -- and marks its minibatches (docs/your-model.md); then\n"
      "--steps, --patience, --interval, --trace, --csv, --plug and --json hold.\n"
      "Example:\n  flyball profile lenet5 --epochs 2 --workers 2\n"
      "  flyball profile --device host -- python3 train.py");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
