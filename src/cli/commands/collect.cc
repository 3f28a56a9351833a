#include "collect/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

struct CollectArguments {
  std::vector<std::string> stores;
  std::string into, board;
  size_t jobs = 1;
  bool json = false;
};

/// Of one store: what was taken, or why not.
struct CollectOutcome {
  std::string source;
  std::optional<Collected> taken;
  std::optional<Error> error;
};

CollectOutcome take_store(Result<CollectTarget>& target, const std::string& source,
                          const std::string& board) {
  CollectOutcome outcome{source, {}, {}};
  if (is_interrupted(&interrupt_flag())) {
    outcome.error = Error{Code::interrupted, "interrupted", "run the same command again"};
    return outcome;
  }
  auto taken = target ? target->take(source, board) : Result<Collected>(target.error());
  if (taken)
    outcome.taken = *taken;
  else
    outcome.error = taken.error();
  return outcome;
}

// Each thread has a connection of its own.
std::vector<CollectOutcome> take_all(const CollectArguments& options) {
  std::vector<CollectOutcome> outcomes(options.stores.size());
  std::mutex told;
  Progress progress(options.json || options.stores.size() == 1);
  std::atomic<size_t> next = 0;
  size_t done = 0;
  const auto work = [&] {
    auto target = CollectTarget::open(options.into);
    for (size_t i = 0; (i = next++) < options.stores.size();) {
      outcomes[i] = take_store(target, options.stores[i], options.board);
      const std::lock_guard lock(told);
      progress.show(++done, options.stores.size(), options.stores[i]);
    }
  };
  std::vector<std::thread> others;
  for (size_t job = 1; job < std::min(options.jobs, options.stores.size()); ++job)
    others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  progress.finish();
  return outcomes;
}

Json to_json(const CollectOutcome& outcome) {
  Json json{{"source", outcome.source}};
  if (!outcome.taken) {
    json["error"] = {{"code", code_name(outcome.error->code)},
                     {"message", outcome.error->message},
                     {"hint", outcome.error->hint}};
    return json;
  }
  const Collected& taken = *outcome.taken;
  json.update({{"store", taken.store},
               {"new_runs", taken.new_runs},
               {"changed_runs", taken.changed_runs},
               {"known_runs", taken.known_runs},
               {"running_runs", taken.running_runs},
               {"measurements", taken.measurements},
               {"experiment_runs", taken.experiment_runs},
               {"facts", taken.facts}});
  return json;
}

void print_outcomes(const std::vector<CollectOutcome>& outcomes) {
  TextTable table({"store", "new runs", "gone on", "known", "running", "measurements",
                   "runs of experiments", "facts"});
  const auto count = [](size_t number) { return fmt::format("{}", number); };
  for (const CollectOutcome& outcome : outcomes)
    if (outcome.taken) {
      const Collected& taken = *outcome.taken;
      table.add({outcome.source, count(taken.new_runs), count(taken.changed_runs),
                 count(taken.known_runs), count(taken.running_runs), count(taken.measurements),
                 count(taken.experiment_runs), count(taken.facts)});
    }
  if (!table.empty()) fmt::print("{}", table.str());
}

Status run(const CollectArguments& options, Context& context) {
  if (options.stores.empty()) {
    FLYBALL_ASSIGN([[maybe_unused]] const CollectTarget made, CollectTarget::open(options.into));
    if (options.json)
      print_json({{"into", options.into}, {"stores", Json::array()}});
    else
      fmt::print("the tables are there: {}\n", options.into);
    return {};
  }
  // What keeps all of them from it is said once.
  FLYBALL_CHECK(CollectTarget::open(options.into));
  catch_interrupts();
  set_interrupt_patience(0);
  const std::vector<CollectOutcome> outcomes = take_all(options);
  Json list = Json::array();
  for (const CollectOutcome& outcome : outcomes) list.push_back(to_json(outcome));
  if (options.json)
    print_json({{"into", options.into}, {"stores", list}});
  else
    print_outcomes(outcomes);
  for (const CollectOutcome& outcome : outcomes)
    if (outcome.error) context.exit_code = report_error(*outcome.error);
  return {};
}

}  // namespace

void add_collect(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "collect", "Collect the stores of many boards into one, each run exactly once");
  auto options = std::make_shared<CollectArguments>();
  command->add_option("stores", options->stores,
                      "Stores: files, folders, or [USER@]HOST:PATH over ssh; none: only the tables "
                      "are made");
  command
      ->add_option("--into", options->into,
                   "Store that they are collected into: a file, postgresql://HOST/DATABASE or "
                   "service=NAME; passwords belong into ~/.pgpass")
      ->type_name("STORE")
      ->required();
  command->add_option("--board", options->board,
                      "Name of the board that these stores are of; default: each store is a board "
                      "of its own");
  command->add_option("--jobs", options->jobs, "Stores that are read at once")
      ->check(CLI::Range(size_t{1}, size_t{64}))
      ->capture_default_str();
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball collect orin1:.local/share/flyball/store.db orin2.db --into fleet.db");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
