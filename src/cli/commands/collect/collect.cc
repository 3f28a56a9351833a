#include <fmt/format.h>

#include "cli/action.h"
#include "cli/commands.h"
#include "cli/commands/collect/collecting.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

struct CollectArguments {
  std::vector<std::string> stores;
  std::string into, board;
  size_t jobs = 1;
  bool json = false;
};

Status run(const CollectArguments& options, Context& context) {
  if (options.stores.empty()) {
    FLYBALL_ASSIGN([[maybe_unused]] const CollectTarget made, CollectTarget::open(options.into));
    if (options.json)
      print_json({{"into", options.into}, {"stores", Json::array()}});
    else
      fmt::print("the tables are there: {}\n", options.into);
    return {};
  }
  std::vector<CollectSource> sources;
  for (const std::string& store : options.stores) sources.push_back({store, options.board});
  FLYBALL_ASSIGN(const std::vector<CollectOutcome> outcomes,
                 collect_with_progress(sources, options.into, options.jobs,
                                       options.json || sources.size() == 1));
  tell_collected(outcomes, options.into, options.json, context);
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
  command->add_option(
      "--board", options->board,
      "Name of the board that these stores are of, but for what they were collected "
      "from; default: each store is a board of its own");
  command->add_option("--jobs", options->jobs, "Stores that are read at once")
      ->check(CLI::Range(size_t{1}, size_t{64}))
      ->capture_default_str();
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball collect orin1:.local/share/flyball/store.db orin2.db --into fleet.db");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
