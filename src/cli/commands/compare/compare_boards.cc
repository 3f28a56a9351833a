#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands/compare/compare.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/report_file.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "cli/text/compare_text.h"
#include "cli/training_options.h"
#include "compare/board_comparison.h"
#include "report/page.h"

namespace flyball::cli {
namespace {

struct CompareBoardsArguments {
  std::vector<std::string> networks, devices;
  std::string baseline, objective, prices, measured, store, report;
  ComparedTraining training;
  double samples = 0;
  uint64_t seed = 1;
  Accepted accepted;
  BoardLimits limits;
  bool json = false;
};

Result<BoardsQuestion> question_of(const CompareBoardsArguments& options) {
  BoardsQuestion question;
  question.batch_size = static_cast<double>(options.training.batch_size);
  question.loader_workers = options.training.workers;
  question.prefetch = options.training.prefetch;
  question.seed = options.seed;
  question.accepted = options.accepted;
  for (const std::string& name : options.networks) {
    ComparedNetwork network = compared_network(name, options.samples);
    if (std::ranges::find(question.networks, network.name, &ComparedNetwork::name) !=
        question.networks.end())
      return Error{Code::invalid_argument, fmt::format("{} is named twice", network.name),
                   "name it once"};
    question.networks.push_back(std::move(network));
  }
  return question;
}

class Boards {
 public:
  Boards(const BoardsQuestion& question, const std::string& store)
      : question_(question), place_(store) {}

  Status add(const std::string& device) {
    FLYBALL_ASSIGN(const auto stored, stored_board(device));
    if (stored) return add_stored(*stored);
    FLYBALL_ASSIGN(const auto board, open_named_board(device, "/"));
    if (board->twin()) {
      FLYBALL_ASSIGN(ComparedBoard one, simulated_board_figures(*board, question_));
      return take(std::move(one), device);
    }
    FLYBALL_ASSIGN(std::vector<ComparedBoard> tabled, tabled_board_figures(*board, question_));
    for (ComparedBoard& one : tabled) FLYBALL_CHECK(take(std::move(one), device));
    return {};
  }

  std::vector<ComparedBoard> all;

 private:
  Status add_stored(const std::string& name) {
    if (!store_) {
      FLYBALL_ASSIGN(store_, open_stored(place_));
    }
    FLYBALL_ASSIGN(ComparedBoard one, stored_board_figures(*store_, name, question_));
    return take(std::move(one), name);
  }

  // Several tables of one board make one board.
  Status take(ComparedBoard board, const std::string& device) {
    const auto same =
        std::ranges::find_if(all, [&](const ComparedBoard& one) { return one.is_of(board); });
    if (same == all.end()) {
      all.push_back(std::move(board));
      return {};
    }
    if (board.source != BoardSource::table)
      return Error{Code::invalid_argument, fmt::format("--device {} is named twice", device),
                   "name it once"};
    add_figures(*same, std::move(board));
    return {};
  }

  const BoardsQuestion& question_;
  std::string place_;
  std::optional<Store> store_;
};

/// Error: a network of which no board knows anything.
Status check_known(const std::vector<ComparedBoard>& boards, const BoardsQuestion& question) {
  for (size_t i = 0; i < question.networks.size(); ++i) {
    const bool known = std::ranges::any_of(boards, [i](const ComparedBoard& board) {
      return board.figures[i].has_time() || !board.figures[i].fits();
    });
    if (known) continue;
    std::vector<std::string> reasons;
    const std::vector<std::string> names = names_of(boards);
    for (size_t b = 0; b < boards.size(); ++b)
      reasons.push_back(fmt::format("{}: {}", names[b], boards[b].figures[i].missing));
    return Error{Code::not_found,
                 fmt::format("no board has figures of {}: {}", question.networks[i].name,
                             fmt::join(reasons, "; ")),
                 "name networks that these boards know, or twin:BOARD, which is simulated"};
  }
  return {};
}

Result<size_t> baseline_of(const BoardComparison& comparison, const std::string& asked) {
  if (asked.empty()) return size_t{0};
  for (size_t i = 0; i < comparison.boards.size(); ++i)
    if (asked == comparison.names[i] || asked == comparison.boards[i].name) return i;
  return Error{Code::invalid_argument, fmt::format("--baseline: '{}' is not compared", asked),
               name_hint(asked, comparison.names)};
}

Result<BoardComparison> gather(const CompareBoardsArguments& options) {
  BoardComparison comparison;
  FLYBALL_ASSIGN(comparison.question, question_of(options));
  FLYBALL_ASSIGN(comparison.prices, read_prices(options.prices));
  FLYBALL_ASSIGN(comparison.published, known_published_epochs());
  if (!options.measured.empty()) {
    FLYBALL_ASSIGN(comparison.measured, read_measured_minibatches(options.measured));
  }
  comparison.measured_file = options.measured;
  comparison.limits = options.limits;
  comparison.chooses = options.limits.any() || !options.objective.empty();
  if (!options.objective.empty()) {
    FLYBALL_ASSIGN(comparison.objective, parse_board_objective(options.objective));
  }
  Boards boards(comparison.question, options.store);
  for (const std::string& device : options.devices) FLYBALL_CHECK(boards.add(device));
  FLYBALL_CHECK(check_known(boards.all, comparison.question));
  comparison.boards = std::move(boards.all);
  comparison.names = names_of(comparison.boards);
  FLYBALL_ASSIGN(comparison.baseline, baseline_of(comparison, options.baseline));
  return comparison;
}

Status run(const CompareBoardsArguments& options, Context& context) {
  FLYBALL_ASSIGN(BoardComparison comparison, gather(options));
  FLYBALL_CHECK(compare_boards(comparison));
  if (options.json)
    print_json(to_json(comparison));
  else
    fmt::print("{}", compare_text(comparison));
  FLYBALL_CHECK(write_report(
      options.report, page_document("boards", context.command, to_json(comparison)), options.json));
  if (comparison.infeasible) context.exit_code = report_error(*comparison.infeasible);
  return {};
}

void add_price(CLI::App& command, const std::string& name, std::optional<Money>& into,
               const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [&into](const std::string& text) {
            if (const auto money = parse_money(text)) into = *money;
          },
          help)
      ->check(CLI::Validator(
          [](const std::string& text) -> std::string {
            const auto money = parse_money(text);
            if (text.empty() || money) return "";
            return fmt::format("{}: {}", money.error().message, money.error().hint);
          },
          ""))
      ->type_name("PRICE");
}

void add_limits(CLI::App& command, CompareBoardsArguments& options) {
  BoardLimits& limits = options.limits;
  add_duration(
      command, "--deadline", [&limits](Seconds time) { limits.deadline_s = time.value; },
      "Limit on the time of an epoch, for each network, e.g. 30min", above_zero("s"));
  add_power(
      command, "--power-budget", [&limits](Watts power) { limits.power_w = power.value; },
      "Limit on the power, e.g. 30W", above_zero("W"));
  add_energy(
      command, "--energy-budget", [&limits](Joules energy) { limits.energy_j = energy.value; },
      "Limit on the energy of an epoch, for each network, e.g. 10kJ", above_zero("J"));
  add_price(command, "--price-budget", limits.epoch_price,
            "Limit on the price of an epoch, for each network, e.g. 0.05USD");
  add_price(command, "--board-budget", limits.board_price,
            "Limit on the board's list price, e.g. 500USD");
  command.add_option(
      "--objective", options.objective,
      "What to minimise per epoch: time, energy or price; default with a limit: time");
}

}  // namespace

void add_compare_boards(CLI::App& compare, Context& context) {
  CLI::App* command = compare.add_subcommand(
      "boards", "Compare time, power, energy and price of an epoch on each board");
  auto options = std::make_shared<CompareBoardsArguments>();
  command->add_option("networks", options->networks, "Networks that are trained")->required();
  command
      ->add_option("--device", options->devices,
                   "Boards, separated by commas: twin:BOARD (simulated), table:FILE, or the name "
                   "of a board whose trials are in the store")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  command->add_option("--baseline", options->baseline,
                      "Board that the others are compared with; default: the first");
  add_compared_training(*command, options->training);
  command
      ->add_option("--samples", options->samples,
                   "Samples of an epoch, for every network; default: its usual data set")
      ->check(sample_count());
  add_limits(*command, *options);
  command->add_option("--prices", options->prices,
                      "TOML file of prices (docs/compare.md) instead of the built-in one");
  command->add_option("--measured", options->measured,
                      "CSV file of measured minibatches to show beside");
  add_accept_option(*command, options->accepted);
  add_seed(*command, options->seed, "Seed of the noise");
  add_store_option(*command, options->store);
  add_report_option(*command, options->report);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball compare boards resnet18 lstm --device twin:orin_agx,twin:orin_nano "
      "--deadline 10min --objective price");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
