// `flyball campaign`: a file a subcommand, and what they share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "campaign/cell_state.h"
#include "cli/commands.h"
#include "collect/collect_stores.h"

namespace flyball::cli {

void add_campaign_plan(CLI::App& campaign, Context& context);
void add_campaign_run(CLI::App& campaign, Context& context);
void add_campaign_status(CLI::App& campaign, Context& context);
void add_campaign_cancel(CLI::App& campaign, Context& context);
void add_campaign_report(CLI::App& campaign, Context& context);
void add_campaign_collect(CLI::App& campaign, Context& context);
void add_campaign_cell(CLI::App& campaign, Context& context);

/// The campaign's file, and what all subcommands may say of it.
struct CampaignOptions {
  std::string file, out, executor;
  bool as_last_run = false;  ///< without `executor`: as the last run, not as the file says
  size_t parallel = 0;       ///< 0: as the file says
  bool json = false;
};
/// What starts the cells where no option says it.
enum class UsualExecutor { of_file, of_last_run };
void add_campaign_file(CLI::App& command, CampaignOptions& options,
                       UsualExecutor usual = UsualExecutor::of_last_run);

struct OpenedCampaign {
  Campaign campaign;
  std::vector<CampaignCell> cells;
  CampaignFolder folder;
  std::string words;  ///< "campaign.toml --out DIR --executor ssh", to each subcommand
};
Result<OpenedCampaign> open_campaign(const CampaignOptions& options);
/// This program, which runs the cells.
std::filesystem::path own_program();
/// Can it be collected into, as far as is known without asking a server?
Status check_collecting(const std::string& place);
/// Every cell that has measured has a store of its own.
std::vector<CollectSource> stores_of(const OpenedCampaign& opened);

}  // namespace flyball::cli
