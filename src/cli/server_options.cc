#include "cli/server_options.h"

#include <algorithm>

#include "base/os/interrupt.h"
#include "cli/report_left.h"
#include "load/server_command.h"
#include "profile/trials/chosen_modes.h"
#include "space/axis_choice.h"

namespace flyball::cli {
namespace {

Result<ServerTrialOptions> server_trials(const Board& board, const ProfilerOptions& options,
                                         const ServerOptions& server) {
  ServerTrialOptions trial;
  FLYBALL_ASSIGN(trial.argv, parse_server_command(server.command));
  FLYBALL_ASSIGN(trial.arrivals, load_arrivals(server.load));
  if (!server.url.empty()) trial.url = server.url;
  trial.protocol = server.load.protocol;
  LoadArguments load = server.load;
  if (!trial.protocol.empty()) {
    FLYBALL_ASSIGN(const LoadProtocol protocol, parse_protocol(trial.protocol));
    FLYBALL_ASSIGN(load, load_of_protocol(load, protocol));
  }
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  FLYBALL_ASSIGN(trial.environment, gpu_environment(board.info().name, root));
  trial.ready = server.ready;
  trial.presets = board.presets();
  trial.request = load.request;
  trial.request.stream = !load.no_stream;
  FLYBALL_CHECK(request_headers(trial.request));
  trial.load_s = options.trial_cap_s();
  trial.warm_up_s = std::min(2.0, 0.2 * trial.load_s);
  trial.timeout_s = server.load.timeout_s;
  trial.connections = server.load.connections;
  trial.seed = options.seed;
  trial.figure = server.figure;
  trial.interrupted = &interrupt_flag();
  return trial;
}

}  // namespace

AddedOptions add_server_options(CLI::App& command, ServerOptions& server) {
  command.add_option("--server", server.command,
                     "Command of a server to start and load: \"llama-server -ngl {n_gpu_layers} "
                     "--port {port}\"");
  AddedOptions added = add_load_options(command, server.load);
  added.push_back(command.add_option(
      "--url", server.url, "URL where the server is asked; default: http://127.0.0.1:{port}"));
  added.push_back(command.add_option(
      "--ready", server.ready,
      "Path that answers 2xx once the server is ready; default: that of its protocol"));
  return added;
}

Result<OpenedProfiler> open_server(const ProfilerOptions& options, const ServerOptions& server) {
  FLYBALL_CHECK(check_alone(options.workload));
  FLYBALL_CHECK(options.scope.check(Target::program));
  FLYBALL_ASSIGN(const ModeChoice modes, parse_mode_choice(options.modes, options.seed));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  FLYBALL_CHECK(board->check_runs_programs());
  FLYBALL_ASSIGN(ServerTrialOptions trial, server_trials(*board, options, server));
  auto power = board->power();
  if (options.needs_power) FLYBALL_CHECK(check_power(power->gap()));
  FLYBALL_ASSIGN(const auto choices, parse_axis_choices(options.axes.texts));
  OpenedProfiler opened;
  if (!options.dry_run) {
    FLYBALL_ASSIGN(opened.measuring, begin_measuring(options.measuring, Unseen::told_by_result));
  }
  FLYBALL_ASSIGN(auto device, board->knobs(report_left));
  FLYBALL_ASSIGN(trial.open, opened_axes(choices, device->axes(), OtherAxes::program));
  FLYBALL_ASSIGN(opened.profiler, make_server_profiler(std::move(device), std::move(power), trial));
  FLYBALL_ASSIGN(opened.profiler, with_modes(std::move(opened.profiler), modes));
  return opened;
}

}  // namespace flyball::cli
