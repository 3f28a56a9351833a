#include <fmt/format.h>

#include <map>

#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands/fleet/fleet.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/tables.h"
#include "cli/text/fleet_text.h"
#include "cli/text/rounds_text.h"
#include "fleet/rounds/rounds.h"

namespace flyball::cli {
namespace {

struct FleetRoundsArguments {
  FleetOptions fleet;
  FleetTrainingOptions training;
  RoundRules rules;
  ProgressProxy proxy;
  DrawnClients drawn;
  size_t clients = 0;
  uint64_t seed = 1;
  std::string client_file, asked_file, store;
  bool json = false, quiet = false;
  Accepted accepted;
};

Result<Population> drawn_clients(const FleetRoundsArguments& options,
                                 const FleetTraining& training) {
  FLYBALL_ASSIGN(std::vector<FleetEntry> entries, fleet_entries(options.fleet));
  FLYBALL_CHECK(share_out_clients(entries, options.clients));
  FLYBALL_ASSIGN(std::vector<FleetKind> kinds, open_fleet(entries, training, options.store));
  DrawnClients drawn = options.drawn;
  drawn.seed = options.seed;
  return draw_population(std::move(kinds), drawn);
}

Result<Population> clients_of_file(const FleetRoundsArguments& options,
                                   const FleetTraining& training) {
  FLYBALL_ASSIGN(const std::vector<ClientRow> rows, read_clients(options.client_file));
  std::map<std::string, size_t> places;
  std::vector<FleetEntry> entries;
  Population population;
  for (const ClientRow& row : rows) {
    const auto [at, added] = places.emplace(row.board, entries.size());
    if (added) entries.push_back({row.board, 0});
    ++entries[at->second].boards;
    population.clients.push_back(row.client);
    population.clients.back().kind = static_cast<uint32_t>(at->second);
    population.names.push_back(row.name);
  }
  FLYBALL_ASSIGN(population.kinds, open_fleet(entries, training, options.store));
  return population;
}

std::string name_of(const Population& population, size_t client) {
  return population.names.empty() ? fmt::format("{}", client + 1) : population.names[client];
}

/// The clients of the first round as CSV.
std::string asked_csv(const Population& population, const RoundsAnswer& answer) {
  std::string text = csv_line({"client", "board", "mode", "minibatch_ms", "power_w"});
  for (const auto& [client, group] : answer.first->asked) {
    const RoundGroup& of = answer.first->groups[group];
    text += csv_line({name_of(population, client), answer.kinds[of.kind].name,
                      fleet_mode_text(of.mode.config), number(of.mode.minibatch_ms, 6),
                      number(of.mode.power_w, 6)});
  }
  return text;
}

Result<RoundsAnswer> answer_of(const FleetRoundsArguments& options, const RoundsQuestion& question,
                               const Population& population) {
  Progress progress(options.quiet || options.json);
  size_t begun = 0;
  return ask_rounds(question, population, [&](RoundStrategy strategy) {
    progress.show(begun++, round_strategies.size(), round_strategy_name(strategy));
  });
}

Status run(const FleetRoundsArguments& options, Context& context) {
  RoundsQuestion question;
  question.training = options.training.training();
  question.training.accepted = options.accepted;
  question.rules = options.rules;
  question.proxy = options.proxy;
  question.seed = options.seed;
  const bool drawn = options.client_file.empty();
  if (drawn) question.drawn = options.drawn;
  FLYBALL_ASSIGN(const Population population, drawn ? drawn_clients(options, question.training)
                                                    : clients_of_file(options, question.training));
  FLYBALL_ASSIGN(const RoundsAnswer answer, answer_of(options, question, population));
  if (options.json)
    print_json(to_json(answer));
  else
    fmt::print("{}", fleet_rounds_text(answer));
  if (answer.infeasible) context.exit_code = report_error(*answer.infeasible);
  if (!answer.first || options.asked_file.empty()) return {};
  return write_or_print(options.asked_file, asked_csv(population, answer),
                        answer.first->asked.size(), options.quiet);
}

CLI::Option* add_share(CLI::App& command, const std::string& name, double& value,
                       const std::string& help) {
  return command.add_option(name, value, help)->check(CLI::Range(0.0, 1.0))->capture_default_str();
}
CLI::Option* add_spread(CLI::App& command, const std::string& name, double& value,
                        const std::string& help) {
  return command.add_option(name, value, help)->check(CLI::Range(0.0, 3.0))->capture_default_str();
}

void add_drawn(CLI::App& command, FleetRoundsArguments& options) {
  DrawnClients& drawn = options.drawn;
  std::vector<CLI::Option*> of_drawn = {
      command
          .add_option("--clients", options.clients,
                      "Clients that are drawn, their boards in the proportions of --board; "
                      "default: as many as boards are named")
          ->check(CLI::Range(size_t{1}, most_clients)),
      command.add_option("--samples", drawn.samples, "Samples of a client, mean")
          ->check(CLI::Range(1.0, 1e9))
          ->capture_default_str(),
      add_spread(command, "--samples-spread", drawn.samples_spread,
                 "Standard deviation of the logarithm of the samples"),
      add_share(command, "--available", drawn.available,
                "How often clients can be asked, mean of a uniform share"),
      add_share(command, "--dropout", drawn.dropout,
                "How often a client that was asked is gone before it answers"),
      add_duration(
          command, "--transfer", [&drawn](Seconds time) { drawn.transfer_s = time.value; },
          "Time of a client for the model there and back, mean; default: 10s",
          Bounds{0, 1e6, "0s to 1000000s"}),
      add_spread(command, "--transfer-spread", drawn.transfer_spread,
                 "Standard deviation of the logarithm of the transfers"),
      add_spread(command, "--board-spread", drawn.board_spread,
                 "Standard deviation of the logarithm of how slow boards of a kind are"),
      command.get_option("--board"),
      command.get_option("--fleet")};
  CLI::Option* file = command
                          .add_option("--client-file", options.client_file,
                                      "CSV file of clients: client,board,samples[,available,"
                                      "dropout,transfer_s,slowness]; default: they are drawn")
                          ->type_name("FILE");
  for (CLI::Option* one : of_drawn) file->excludes(one);
}

void add_rules(CLI::App& command, FleetRoundsArguments& options) {
  RoundRules& rules = options.rules;
  add_duration(
      command, "--deadline", [&rules](Seconds time) { rules.deadline_s = time.value; },
      "Time after which a round ends, e.g. 2min", above_zero("s"))
      ->required();
  add_energy(
      command, "--energy-budget", [&rules](Joules energy) { rules.energy_j = energy.value; },
      "Energy of all clients in a round, expected, at most, e.g. 100kJ", above_zero("J"));
  command
      .add_option_function<size_t>(
          "--count", [&rules](const size_t& count) { rules.count = count; },
          "Clients that are asked in a round at most")
      ->check(CLI::Range(size_t{1}, most_clients));
  command.add_option("--local-epochs", rules.local_epochs, "Epochs of a client over its samples")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_spread(command, "--straggling", rules.straggling,
             "Standard deviation of the logarithm of how slow a board is in a round");
}

void add_proxy(CLI::App& command, ProgressProxy& proxy) {
  command
      .add_option("--gain", proxy.gain,
                  "Share of its missing progress that a client's update brings")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  command.add_option("--target", proxy.target, "Progress at which the simulation ends")
      ->check(CLI::Range(0.001, 0.999))
      ->capture_default_str();
  command.add_option("--rounds", proxy.most_rounds, "Rounds that are simulated at most")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
}

}  // namespace

void add_fleet_rounds(CLI::App& fleet, Context& context) {
  CLI::App* command = fleet.add_subcommand(
      "rounds", "Choose clients and their modes for rounds of federated training, simulated");
  auto options = std::make_shared<FleetRoundsArguments>();
  add_fleet_options(*command, options->fleet);
  add_training_of_fleet(*command, options->training);
  add_rules(*command, *options);
  add_drawn(*command, *options);
  add_proxy(*command, options->proxy);
  add_seed(*command, options->seed);
  writes(command->add_option("--asked", options->asked_file,
                             "Write the clients of the first round as CSV"));
  add_accept_option(*command, options->accepted);
  add_store_option(*command, options->store);
  add_quiet(*command, options->quiet);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball fleet rounds --workload resnet18 --board "
      "twin:orin_agx=200,twin:orin_nano=800 --deadline 2min --energy-budget 50kJ");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
