#include <algorithm>
#include <map>
#include <span>

#include "base/clock.h"
#include "cli/action.h"
#include "cli/commands/campaign/campaign.h"
#include "sql/database.h"
#include "sql/postgres_place.h"
#include "telemetry/process/command.h"

namespace flyball::cli {
namespace {

constexpr size_t most_stores_a_call = 500;

struct CampaignCollectArguments {
  CampaignOptions campaign;
  std::string into;
};

/// By the command that anyone would type; its exit code.
Result<int> collect_board(const std::string& board, std::span<const std::string> stores,
                          const std::string& place, bool quiet) {
  CommandWords words = {own_program().string(), "collect"};
  if (quiet) words.insert(words.begin(), {"/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/null"});
  words.insert(words.end(), stores.begin(), stores.end());
  words.insert(words.end(), {"--board", board, "--into", place});
  FLYBALL_ASSIGN(const auto running, RunningCommand::start(words));
  while (!running->wait_until(monotonic_ns() + nanoseconds(1))) running->refresh();
  running->finish(false);
  return running->exit_code();
}

Status collect_stores(const CampaignCollectArguments& options, Context& context) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options.campaign));
  FLYBALL_ASSIGN(
      context.exit_code,
      collect_campaign(opened, options.into.empty() ? opened.campaign.collect : options.into));
  return {};
}

}  // namespace

BoardStores stores_of(const OpenedCampaign& opened) {
  BoardStores stores;
  std::error_code ignored;
  for (const CampaignCell& cell : opened.cells)
    if (const auto store = opened.folder.store(cell); std::filesystem::exists(store, ignored))
      stores[opened.campaign.boards[cell.board].name].push_back(store.string());
  return stores;
}

Status check_collecting(const std::string& place) {
  return names_postgres(place) ? check_postgres_place(place) : Status();
}

Result<int> collect_campaign(const OpenedCampaign& opened, const std::string& place, bool quiet) {
  if (place.empty())
    return Error{Code::invalid_argument, "the campaign does not say where its stores belong",
                 "name it: --into fleet.db, or collect = \"postgresql://HOST/DATABASE\" in the "
                 "file"};
  FLYBALL_CHECK(check_collecting(place));
  const BoardStores boards = stores_of(opened);
  if (boards.empty())
    return Error{Code::not_found, "no cell has measured anything yet",
                 "`flyball campaign run` runs them"};
  // One damaged store keeps nobody else's out.
  int worst = 0;
  for (const auto& [board, stores] : boards)
    for (size_t first = 0; first < stores.size(); first += most_stores_a_call) {
      const size_t some = std::min(stores.size() - first, most_stores_a_call);
      FLYBALL_ASSIGN(const int code,
                     collect_board(board, {stores.data() + first, some}, place, quiet));
      if (code >= 128) return code;
      worst = std::max(worst, code);
    }
  return worst;
}

void add_campaign_collect(CLI::App& campaign, Context& context) {
  CLI::App* command = campaign.add_subcommand(
      "collect", "Put the stores of all cells together into one, each measurement once");
  auto options = std::make_shared<CampaignCollectArguments>();
  add_campaign_file(*command, options->campaign);
  command->add_option("--into", options->into,
                      "Store, or postgresql://HOST/DATABASE; default: as the file says");
  command->footer("Example:\n  flyball campaign collect campaign.toml --into fleet.db");
  set_action(*command, context, [options, &context] { return collect_stores(*options, context); });
}

}  // namespace flyball::cli
