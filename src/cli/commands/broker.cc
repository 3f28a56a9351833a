#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/os/accounts.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "broker/broker_run.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/common_options.h"
#include "cli/option_scope.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/report_left.h"
#include "cli/serving/serving.h"
#include "cli/tables.h"
#include "device/modes/mode.h"
#include "tune/role_choices.h"

namespace flyball::cli {
namespace {

struct BrokerArguments {
  std::string socket, group, mode, device, root = "/";
  BrokerRequest asked;
  BrokerOptions broker;
  int64_t batch = 1;               ///< of a service's turn
  std::vector<std::string> files;  ///< tables of --measured
  Accepted accepted;
  StoreArguments store;
  bool json = false, quiet = false;
  bool measured_typed = false, latency_typed = false, train_batch_typed = false;
};

Result<std::optional<gid_t>> group_of(const std::string& name) {
  if (name.empty()) return std::optional<gid_t>();
  FLYBALL_ASSIGN(const gid_t group, group_number(name));
  return std::optional<gid_t>(group);
}

// A file's defaults of clients that are expected, where none is.
void leave_defaults(BrokerArguments& options) {
  ServeRequest& expected = options.asked.expected;
  if (expected.train.empty() && !options.train_batch_typed) expected.train_batch = {};
  if (!expected.train.empty() || !expected.infer.empty()) return;
  if (!options.measured_typed) options.files.clear();
  if (!options.latency_typed) expected.plan.latencies_ms.clear();
}

// Two that come under one name could not be told apart.
Status check_turn_names(const std::string& option, const std::vector<std::string>& clients) {
  std::map<std::string, std::string> named;
  for (const std::string& client : clients) {
    const auto [other, first] = named.try_emplace(turn_name(client), client);
    if (!first)
      return Error{Code::invalid_argument,
                   fmt::format("{}: {} and {} would both come as {}", option, other->second, client,
                               other->first),
                   "give each a name of its own, and its processes the same one "
                   "(FLYBALL_TURN_NAME)"};
  }
  return {};
}

Status check_expected(const BrokerArguments& options) {
  const ServeRequest& expected = options.asked.expected;
  const bool any = !expected.train.empty() || !expected.infer.empty();
  if (expected.train.empty() && options.train_batch_typed)
    return Error{Code::invalid_argument,
                 "--train-batch-size is of a training that is expected, and there is none",
                 "leave it out, or name the training: --train NAME"};
  if (!any && (!options.files.empty() || !expected.plan.latencies_ms.empty() ||
               !expected.plan.rates_hz.empty()))
    return Error{Code::invalid_argument,
                 "--measured, --latency and --rate are of clients that are expected",
                 "name them: --infer NAME --train NAME"};
  if (!any) return {};
  if (!options.mode.empty())
    return Error{Code::invalid_argument,
                 "--mode holds one mode, and with --infer and --train modes are chosen",
                 "leave one of them out"};
  if (!can_plan_serving(expected.train.size(), expected.infer.size()))
    return Error{Code::invalid_argument, planned_roles,
                 "leave one out: it may come all the same, and is not planned for"};
  FLYBALL_CHECK(check_turn_names("--infer", expected.infer));
  FLYBALL_CHECK(check_turn_names("--train", expected.train));
  FLYBALL_CHECK(check_count("--latency", expected.plan.latencies_ms.size(), expected.infer.size()));
  if (expected.plan.latencies_ms.empty())
    return Error{Code::invalid_argument, "--infer needs a latency budget",
                 "name what its processes ask with: --latency 100ms"};
  if (expected.plan.rates_hz.size() <= 1) return {};
  return check_count("--rate", expected.plan.rates_hz.size(), expected.infer.size());
}

// The rates as arrivals: somebody else's, of which no more may be known.
void take_rates(ServeRequest& expected) {
  for (size_t s = 0; s < expected.infer.size(); ++s) {
    ArrivalSpec spec;
    spec.kind = ArrivalKind::http;
    spec.rate_hz = of_service(expected.plan.rates_hz, s, 0);
    expected.arrivals.push_back(spec);
  }
  expected.plan.rates_hz.clear();
}

// What binds a process and what it starts alone would bind the broker, and no client.
Status check_own_axes(const PowerMode& mode, const Device& knobs) {
  const auto own = own_axis(mode, knobs);
  if (!own) return {};
  return Error{
      Code::unavailable,
      fmt::format("{} is chosen for each process here, and would bind the broker alone", *own),
      fmt::format("start its clients so: flyball mode hold {}={} -- COMMAND", *own,
                  format_number(mode.values.at(*own)))};
}

// The modes and the board's knobs, where anything is asked of them.
Status take_board(BrokerArguments& options, const Board& board, BrokerSetup& setup) {
  BrokerRequest& asked = options.asked;
  if (!options.mode.empty()) {
    FLYBALL_ASSIGN(asked.mode, parse_mode(options.mode));
  }
  const bool chooses =
      asked.expected.plan.power_budget_w != unlimited || !asked.expected.infer.empty();
  if (options.mode.empty() && !chooses) return {};
  auto knobs = board.knobs(report_left);
  if (!knobs && !options.mode.empty()) return knobs.error();
  if (knobs) setup.knobs = *std::move(knobs);
  return setup.knobs ? check_own_axes(asked.mode, *setup.knobs) : Status();
}

void print_broker(const BrokerArguments& options, const std::string& device,
                  const std::string& socket, const BrokerResult& result) {
  if (!options.json) return fmt::print("{}", format_broker(result));
  Json document{{"device", device}, {"socket", socket}};
  document.update(to_json(result));
  print_json(document);
}

Status run(BrokerArguments& options) {
  leave_defaults(options);
  FLYBALL_CHECK(check_expected(options));
  FLYBALL_ASSIGN(const auto group, group_of(options.group));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (!board->live() || board->twin())
    return Error{Code::invalid_argument, "nothing runs on a table or a simulated board",
                 "leave --device out, or name a GPU: --device cuda; `flyball serve` simulates "
                 "turns and their modes"};
  const std::filesystem::path socket =
      options.socket.empty() ? broker_socket() : std::filesystem::path(options.socket);
  catch_interrupts();  // who sees the socket may end the broker
  FLYBALL_ASSIGN(TurnSockets sockets, TurnSockets::listen(socket, group));
  BrokerSetup setup{.board = *board,
                    .profiles = profile_source(options.files, options.accepted, options.store),
                    .sockets = std::move(sockets)};
  setup.profiles.of_networks = false;
  FLYBALL_CHECK(take_board(options, *board, setup));
  ServeRequest& expected = options.asked.expected;
  setup.computing = expected.infer.empty() ? board->info() : computing_board(board->info());
  take_rates(expected);
  expected.turn_batch = options.batch;
  expected.plan.cancelled = &interrupt_flag();
  options.broker.stop = &interrupt_flag();
  options.broker.tell = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  setup.options = options.broker;
  if (!options.quiet)
    setup.begins = [&](Broker&) {
      fmt::print(stderr, "turns are granted at {}: export FLYBALL_BROKER={}\n", socket.string(),
                 std::filesystem::absolute(socket).string());
    };
  FLYBALL_ASSIGN(const BrokerResult result, run_broker(options.asked, std::move(setup)));
  print_broker(options, board->info().device.title, socket.string(), result);
  return {};
}

void add_socket_options(CLI::App& command, BrokerArguments& options) {
  command.add_option("--socket", options.socket,
                     "Socket where clients ask; default: FLYBALL_BROKER, or broker.sock in a "
                     "folder of this user's");
  command.add_option("--group", options.group,
                     "Group whose members may ask, too; default: this user alone");
  add_duration(command, "--duration",
               [&options](Seconds time) { options.broker.seconds = time.value; },
               "How long; default: until Ctrl-C", {0.1, 1e8, "100ms or more"});
  add_duration(
      command, "--longest-turn",
      [&options](Seconds time) { options.broker.longest_turn_s = time.value; },
      "A turn that takes longer, and four times its usual longest, is taken away; default: 1s",
      {0.001, 1e6, "1ms or more"});
}

// Which modes are chosen, and by what.
void add_plan_options(CLI::App& command, BrokerArguments& options) {
  ServeRequest& expected = options.asked.expected;
  command.add_option("--mode", options.mode,
                     "Power mode, AXIS=VALUE,…, held meanwhile and put back");
  add_power(
      command, "--power-budget",
      [&expected](Watts power) { expected.plan.power_budget_w = power.value; },
      "Limit on the power, e.g. 30W: chooses the mode, and what trainings may have of the time");
  command
      .add_option("--infer", expected.infer,
                  "Service that is expected, by the name of its profiles and of its turns")
      ->expected(1, 2);
  command.add_option("--train", expected.train, "Training that is expected, likewise")
      ->expected(1, 2);
  note_given(
      add_durations(
          command, "--latency",
          [&expected](Seconds time) { expected.plan.latencies_ms.push_back(time.value * 1e3); },
          "Latency budget of each service that is expected, e.g. 150ms"),
      options.latency_typed);
  command.add_option("--rate", expected.plan.rates_hz,
                     "Turns per second that a service will ask for; default: found out");
  command
      .add_option("--batch-size", options.batch, "Samples of a service's turn, as in its profiles")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  note_given(command
                 .add_option("--train-batch-size", expected.train_batch,
                             "Samples of a training's turn; default: chosen among its profiles")
                 ->check(CLI::Range(1, 65536)),
             options.train_batch_typed);
  note_given(command.add_option("--measured", options.files,
                                "Tables of the modes that are known, to plan with; default: what "
                                "the store has of this board"),
             options.measured_typed);
  add_accept_option(command, options.accepted);
  add_store_options(command, options.store, "Plan with nothing that is stored");
}

}  // namespace

void add_broker(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "broker", "Grant the accelerator by turns to processes that ask: services and trainings");
  auto options = std::make_shared<BrokerArguments>();
  add_socket_options(*command, *options);
  add_plan_options(*command, *options);
  add_device_option(*command, options->device, options->root, {.refused = {"table", "twin"}});
  add_json_flag(*command, options->json);
  add_quiet(*command, options->quiet);
  command->footer(
      "Example:\n  flyball broker --duration 1h &\n"
      "  export FLYBALL_BROKER=/run/user/1000/flyball-broker/broker.sock    # as it prints it\n"
      "In each process: `with flyball.turn():` around a step, or include/flyball/flyball_turn.h.");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
