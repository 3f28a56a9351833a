#include "cli/commands/campaign/campaign.h"

#include <utility>

#include "base/text.h"
#include "cli/checks.h"

namespace flyball::cli {
namespace {

Status take_executor(const CampaignOptions& options, const CampaignFolder& folder,
                     Campaign& campaign) {
  if (!options.executor.empty()) {
    FLYBALL_ASSIGN(campaign.executor, parse_executor(options.executor));
    return check_executor(campaign);
  }
  const auto last = options.as_last_run ? executor_of_run(folder) : std::nullopt;
  if (!last) return {};
  // What the file says now may lack what it asked for then.
  const CampaignExecutor of_file = std::exchange(campaign.executor, *last);
  if (!check_executor(campaign).ok()) campaign.executor = of_file;
  return {};
}

}  // namespace

void add_campaign_file(CLI::App& command, CampaignOptions& options, UsualExecutor usual) {
  command.add_option("file", options.file, "File of the campaign (docs/how-to/many-boards.md)")
      ->required();
  command
      .add_option("--out", options.out,
                  "Folder of answers and stores; default: NAME.campaign beside the file")
      ->type_name("DIR");
  options.as_last_run = usual == UsualExecutor::of_last_run;
  takes_one_of(command.add_option("--executor", options.executor,
                                  std::string("What starts the cells: local, slurm or ssh; "
                                              "default: as ") +
                                      (options.as_last_run ? "in the last run" : "the file says")),
               {"local", "slurm", "ssh"});
}

Result<OpenedCampaign> open_campaign(const CampaignOptions& options) {
  FLYBALL_ASSIGN(Campaign campaign, read_campaign(options.file));
  const CampaignExecutor of_file = campaign.executor;
  CampaignFolder folder = CampaignFolder::of(campaign, options.out);
  FLYBALL_CHECK(take_executor(options, folder, campaign));
  if (options.parallel > 0) campaign.parallel = options.parallel;
  FLYBALL_ASSIGN(std::vector<CampaignCell> cells, cells_of(campaign));
  std::vector<std::string> words = {options.file};
  if (!options.out.empty()) words.insert(words.end(), {"--out", options.out});
  if (campaign.executor != of_file)
    words.insert(words.end(), {"--executor", executor_name(campaign.executor)});
  return OpenedCampaign{std::move(campaign), std::move(cells), std::move(folder),
                        shell_line(words)};
}

std::filesystem::path own_program() {
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return unknown ? std::filesystem::path("flyball") : program;
}

void add_campaign(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand(
      "campaign", "Ask many boards the same: by Slurm, by ssh, or in processes of this machine");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball campaign run campaign.toml");
  add_campaign_plan(*group, context);
  add_campaign_run(*group, context);
  add_campaign_status(*group, context);
  add_campaign_report(*group, context);
  add_campaign_cancel(*group, context);
  add_campaign_collect(*group, context);
  add_campaign_cell(*group, context);
}

}  // namespace flyball::cli
