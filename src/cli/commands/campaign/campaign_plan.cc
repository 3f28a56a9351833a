#include <fmt/format.h>

#include "campaign/ahead.h"
#include "cli/action.h"
#include "cli/commands/campaign/campaign.h"
#include "cli/output.h"
#include "cli/text/campaign_text.h"

namespace flyball::cli {
namespace {

struct CampaignPlanArguments {
  CampaignOptions campaign;
  std::string store;
};

Status plan_campaign(const CampaignPlanArguments& options) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options.campaign));
  FLYBALL_ASSIGN(const CampaignAhead ahead,
                 look_ahead(opened.campaign, opened.cells, opened.folder,
                            {.program = own_program(), .store = options.store}));
  if (options.campaign.json)
    print_json(to_json(ahead, opened.campaign));
  else
    fmt::print("{}", campaign_ahead_text(ahead, opened.campaign));
  return {};
}

}  // namespace

void add_campaign_plan(CLI::App& campaign, Context& context) {
  CLI::App* command = campaign.add_subcommand(
      "plan", "Say how many cells and trials there are, how long they take and at what energy");
  auto options = std::make_shared<CampaignPlanArguments>();
  add_campaign_file(*command, options->campaign, UsualExecutor::of_file);
  command->add_option("--store", options->store,
                      "Store of earlier trials, which tell what one takes");
  add_json_flag(*command, options->campaign.json);
  command->footer("Example:\n  flyball campaign plan campaign.toml");
  set_action(*command, context, [options] { return plan_campaign(*options); });
}

}  // namespace flyball::cli
