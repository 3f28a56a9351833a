#include "campaign/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/os/lock_file.h"
#include "campaign/slurm.h"
#include "cli/action.h"
#include "cli/commands/campaign/campaign.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/standard_output.h"
#include "cli/text/campaign_text.h"
#include "report/page.h"

namespace flyball::cli {
namespace {

constexpr double look_again_s = 2;

struct CampaignStatusArguments {
  CampaignOptions campaign;
  std::string report;
  bool watch = false;
};

// Between two cells of a board that rests nothing runs but `flyball campaign run`.
bool moves(const CampaignStatus& status, const CampaignFolder& folder) {
  return !status.queue.empty() || status.count(CellState::running) > 0 ||
         !LockFile::holder(folder.lock()).empty();
}

Status show_status(const CampaignStatusArguments& options, const Context& context) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options.campaign));
  if (options.watch) catch_interrupts();
  while (true) {
    const CampaignStatus status = campaign_status(opened.campaign, opened.cells, opened.folder);
    if (!options.report.empty()) {
      const Json page =
          page_document("campaign", context.command, to_json(status, opened.campaign));
      FLYBALL_CHECK(write_report(options.report, page, options.campaign.json || options.watch));
    }
    if (options.campaign.json) {
      print_json(to_json(status, opened.campaign));
      return {};
    }
    // A terminal shows it in one place.
    const bool in_place = options.watch && ::isatty(STDOUT_FILENO);
    FLYBALL_CHECK(write_output((in_place ? "\033[H\033[2J" : "") + campaign_status_text(status)));
    if (!options.watch || !moves(status, opened.folder)) return {};
    const int64_t next = monotonic_ns() + nanoseconds(look_again_s);
    while (monotonic_ns() < next) {
      if (is_interrupted(&interrupt_flag())) return {};
      sleep_until_ns(monotonic_ns() + nanoseconds(0.1));
    }
  }
}

Status cancel(const CampaignOptions& options) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options));
  FLYBALL_CHECK(mark_cancelled(opened.folder));
  FLYBALL_ASSIGN(const SlurmJobs jobs, read_jobs(opened.folder));
  FLYBALL_CHECK(cancel_jobs(jobs));
  const CampaignStatus status = campaign_status(opened.campaign, opened.cells, opened.folder);
  if (options.json)
    print_json(to_json(status, opened.campaign));
  else
    fmt::print(
        "no cell begins any more, and those that run are asked to end; {} of {} have an answer\n"
        "`flyball campaign run {}` goes on with what is missing\n",
        status.count(CellState::done), status.cells.size(), opened.words);
  return {};
}

}  // namespace

void add_campaign_status(CLI::App& campaign, Context& context) {
  CLI::App* command = campaign.add_subcommand("status", "Show how far its cells are");
  auto options = std::make_shared<CampaignStatusArguments>();
  add_campaign_file(*command, options->campaign);
  CLI::Option* const watch =
      command->add_flag("--watch", options->watch,
                        "Show it anew every two seconds while cells run, and write the page anew");
  add_report_option(*command, options->report);
  add_json_flag(*command, options->campaign.json);
  watch->excludes(command->get_option("--json"));
  command->footer("Example:\n  flyball campaign status campaign.toml --watch");
  set_action(*command, context, [options, &context] { return show_status(*options, context); });
}

void add_campaign_cancel(CLI::App& campaign, Context& context) {
  CLI::App* command =
      campaign.add_subcommand("cancel", "End the cells that run, and begin no others");
  auto options = std::make_shared<CampaignOptions>();
  add_campaign_file(*command, *options);
  add_json_flag(*command, options->json);
  command->footer("Example:\n  flyball campaign cancel campaign.toml");
  set_action(*command, context, [options] { return cancel(*options); });
}

}  // namespace flyball::cli
