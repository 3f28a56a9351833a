#include "campaign/report.h"

#include <fmt/format.h>

#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands/campaign/campaign.h"
#include "cli/output.h"
#include "cli/text/campaign_text.h"

namespace flyball::cli {
namespace {

struct CampaignReportArguments {
  CampaignOptions campaign;
  std::string csv;
};

Status show_report(const CampaignReportArguments& options) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options.campaign));
  const CampaignReport report = campaign_report(opened.campaign, opened.cells, opened.folder);
  if (!options.csv.empty())
    FLYBALL_CHECK(write_or_print(options.csv, report_csv(report), report.answers.size()));
  if (options.campaign.json)
    print_json(to_json(report, opened.campaign));
  else
    fmt::print("{}", campaign_report_text(report));
  return {};
}

}  // namespace

void add_campaign_report(CLI::App& campaign, Context& context) {
  CLI::App* command = campaign.add_subcommand(
      "report", "Show the answers of all cells, and how much boards of one kind differ");
  auto options = std::make_shared<CampaignReportArguments>();
  add_campaign_file(*command, options->campaign);
  writes(command->add_option("--csv", options->csv, "Write the answers as a table, too"));
  add_json_flag(*command, options->campaign.json);
  command->footer("Example:\n  flyball campaign report campaign.toml --csv answers.csv");
  set_action(*command, context, [options] { return show_report(*options); });
}

}  // namespace flyball::cli
