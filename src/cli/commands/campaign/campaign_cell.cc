#include "base/os/interrupt.h"
#include "campaign/cell_run.h"
#include "cli/action.h"
#include "cli/commands/campaign/campaign.h"

namespace flyball::cli {
namespace {

struct CampaignCellArguments {
  CampaignOptions campaign;
  std::string cell;
};

Status run_one_cell(const CampaignCellArguments& options, Context& context) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options.campaign));
  FLYBALL_ASSIGN(const CampaignCell* cell, find_cell(opened.cells, options.cell));
  catch_interrupts();
  FLYBALL_ASSIGN(context.exit_code,
                 run_cell(opened.campaign, opened.cells, *cell, opened.folder,
                          {.program = own_program(), .cancelled = &interrupt_flag()}));
  return {};
}

}  // namespace

void add_campaign_cell(CLI::App& campaign, Context& context) {
  CLI::App* command = campaign.add_subcommand(
      "cell", "Run one cell by itself, as `campaign run` and Slurm's tasks do");
  auto options = std::make_shared<CampaignCellArguments>();
  add_campaign_file(*command, options->campaign, UsualExecutor::of_file);
  command->add_option("cell", options->cell, "Name, as `flyball campaign status` shows it")
      ->required();
  command->footer("Example:\n  flyball campaign cell campaign.toml nano-1.resnet18.tune.10W");
  set_action(*command, context, [options, &context] { return run_one_cell(*options, context); });
}

}  // namespace flyball::cli
