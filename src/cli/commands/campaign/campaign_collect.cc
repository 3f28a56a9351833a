#include "cli/action.h"
#include "cli/commands/campaign/campaign.h"
#include "cli/commands/collect/collecting.h"
#include "cli/output.h"
#include "sql/database.h"
#include "sql/postgres_place.h"

namespace flyball::cli {
namespace {

struct CampaignCollectArguments {
  CampaignOptions campaign;
  std::string into;
};

Status collect_cells(const CampaignCollectArguments& options, Context& context) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options.campaign));
  const std::string place = options.into.empty() ? opened.campaign.collect : options.into;
  if (place.empty())
    return Error{Code::invalid_argument, "the campaign does not say where its stores belong",
                 "name it: --into fleet.db, or collect = \"postgresql://HOST/DATABASE\" in the "
                 "file"};
  FLYBALL_CHECK(check_collecting(place));
  const std::vector<CollectSource> stores = stores_of(opened);
  if (stores.empty())
    return Error{Code::not_found, "no cell has measured anything yet",
                 "`flyball campaign run " + opened.words + "` runs them"};
  FLYBALL_ASSIGN(const std::vector<CollectOutcome> outcomes,
                 collect_with_progress(stores, place, 1, options.campaign.json));
  tell_collected(outcomes, place, options.campaign.json, context);
  return {};
}

// As a person in this folder would name it.
std::string store_name(const std::filesystem::path& store) {
  std::error_code unknown;
  const std::filesystem::path here = std::filesystem::proximate(store, unknown);
  return unknown || here.empty() || *here.begin() == ".." ? store.string() : here.string();
}

}  // namespace

std::vector<CollectSource> stores_of(const OpenedCampaign& opened) {
  std::vector<CollectSource> stores;
  std::error_code ignored;
  for (const CampaignCell& cell : opened.cells)
    if (const auto store = opened.folder.store(cell); std::filesystem::exists(store, ignored))
      stores.push_back({store_name(store), opened.campaign.boards[cell.board].name});
  return stores;
}

Status check_collecting(const std::string& place) {
  return names_postgres(place) ? check_postgres_place(place) : Status();
}

void add_campaign_collect(CLI::App& campaign, Context& context) {
  CLI::App* command = campaign.add_subcommand(
      "collect", "Put the stores of all cells together into one, each measurement once");
  auto options = std::make_shared<CampaignCollectArguments>();
  add_campaign_file(*command, options->campaign);
  command->add_option("--into", options->into,
                      "Store, or postgresql://HOST/DATABASE; default: as the file says");
  add_json_flag(*command, options->campaign.json);
  command->footer("Example:\n  flyball campaign collect campaign.toml --into fleet.db");
  set_action(*command, context, [options, &context] { return collect_cells(*options, context); });
}

}  // namespace flyball::cli
