#include "broker/broker.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/os/accounts.h"
#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/report_left.h"
#include "device/modes/mode.h"
#include "schedule/live/live_power.h"

namespace flyball::cli {
namespace {

struct BrokerArguments {
  std::string socket, group, mode, device, root = "/";
  BrokerOptions broker;
  bool json = false, quiet = false;
};

// Held from now on; put back with the device. Null: the mode stays as it is.
Result<std::unique_ptr<Device>> hold_mode(const Board& board, const std::string& text) {
  if (text.empty()) return std::unique_ptr<Device>();
  FLYBALL_ASSIGN(const PowerMode mode, parse_mode(text));
  FLYBALL_ASSIGN(auto knobs, board.knobs(report_left));
  FLYBALL_CHECK(check_mode(axes_for_others(*knobs), mode));
  FLYBALL_CHECK(knobs->apply(mode));
  return knobs;
}

Result<std::optional<gid_t>> group_of(const std::string& name) {
  if (name.empty()) return std::optional<gid_t>();
  FLYBALL_ASSIGN(const gid_t group, group_number(name));
  return std::optional<gid_t>(group);
}

Status run(BrokerArguments& options) {
  FLYBALL_ASSIGN(const auto group, group_of(options.group));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (!board->live() || board->twin())
    return Error{Code::invalid_argument, "nothing runs on a table or a simulated board",
                 "leave --device out, or name a GPU: --device cuda"};
  const std::filesystem::path socket =
      options.socket.empty() ? broker_socket() : std::filesystem::path(options.socket);
  FLYBALL_ASSIGN(TurnSockets sockets, TurnSockets::listen(socket, group));
  catch_interrupts();
  FLYBALL_ASSIGN(const auto knobs, hold_mode(*board, options.mode));
  options.broker.stop = &interrupt_flag();
  options.broker.tell = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  if (!options.quiet)
    fmt::print(stderr, "turns are granted at {}: export FLYBALL_BROKER={}\n", socket.string(),
               std::filesystem::absolute(socket).string());
  Broker broker(std::move(sockets), options.broker);
  LivePower power(board->power(), [&broker] { return broker.serving(); });
  power.start();
  broker.run();
  BrokerResult result = broker.result();
  result.power_gap = power.end(result.serving);
  const Status restored = knobs ? knobs->restore() : Status();
  if (!options.json) {
    fmt::print("{}", format_broker(result));
    return restored;
  }
  Json document{{"device", board->info().device.title},
                {"socket", socket.string()},
                {"mode", text_or_null(options.mode)}};
  document.update(to_json(result));
  print_json(document);
  return restored;
}

}  // namespace

void add_broker(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "broker", "Grant the accelerator by turns to processes that ask: services and trainings");
  auto options = std::make_shared<BrokerArguments>();
  command->add_option("--socket", options->socket,
                      "Socket where clients ask; default: FLYBALL_BROKER, or broker.sock in a "
                      "folder of this user's");
  command->add_option("--group", options->group,
                      "Group whose members may ask, too; default: this user alone");
  add_duration(*command, "--duration",
               [options](Seconds time) { options->broker.seconds = time.value; },
               "How long; default: until Ctrl-C", {0.1, 1e8, "100ms or more"});
  add_duration(
      *command, "--longest-turn",
      [options](Seconds time) { options->broker.longest_turn_s = time.value; },
      "A turn that takes longer, and four times its usual longest, is taken away; default: 1s",
      {0.001, 1e6, "1ms or more"});
  command->add_option("--mode", options->mode,
                      "Power mode, AXIS=VALUE,…, held meanwhile and put back");
  add_device_option(*command, options->device, options->root, {.refused = {"table", "twin"}});
  add_json_flag(*command, options->json);
  add_quiet(*command, options->quiet);
  command->footer(
      "Example:\n  flyball broker --duration 1h &\n"
      "  export FLYBALL_BROKER=$XDG_RUNTIME_DIR/flyball-broker/broker.sock\n"
      "In each process: `with flyball.turn():` around a step, or include/flyball/flyball_turn.h.");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
