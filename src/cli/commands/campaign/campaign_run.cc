#include <fmt/format.h>

#include "base/os/interrupt.h"
#include "base/text.h"
#include "campaign/local_executor.h"
#include "campaign/slurm.h"
#include "cli/action.h"
#include "cli/commands/campaign/campaign.h"
#include "cli/commands/collect/collecting.h"
#include "cli/common_options.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

struct CampaignRunArguments {
  CampaignOptions campaign;
  bool quiet = false;
};

Status tell_submitted(const OpenedCampaign& opened, const SlurmJobs& jobs, bool json) {
  Json arrays = Json::array();
  for (const SlurmJob& job : jobs.arrays)
    arrays.push_back({{"id", job.id}, {"cells", job.cells.size()}});
  if (json) {
    print_json({{"folder", opened.folder.path().string()},
                {"cells", opened.cells.size()},
                {"arrays", arrays},
                {"collect_job", jobs.collect.empty() ? Json(nullptr) : Json(jobs.collect)}});
    return {};
  }
  for (const SlurmJob& job : jobs.arrays)
    fmt::print("array {}: {} cells\n", job.id, job.cells.size());
  if (!jobs.collect.empty()) fmt::print("job {} collects them\n", jobs.collect);
  fmt::print("`flyball campaign status {}` says how far they are\n", opened.words);
  return {};
}

Status submit_campaign(const CampaignRunArguments& options, const OpenedCampaign& opened) {
  SlurmRun run{.program = own_program(), .collect = {}};
  if (!opened.campaign.collect.empty())
    run.collect = {"campaign", "collect", opened.campaign.file.string(), "--out",
                   opened.folder.path().string()};
  FLYBALL_ASSIGN(const SlurmJobs jobs, submit(opened.campaign, opened.cells, opened.folder, run));
  return tell_submitted(opened, jobs, options.campaign.json);
}

void tell_summary(const OpenedCampaign& opened, const LocalSummary& summary, bool json) {
  if (json) {
    print_json({{"folder", opened.folder.path().string()},
                {"cells", summary.cells},
                {"known", summary.known},
                {"done", summary.done},
                {"failed", summary.failed},
                {"left", summary.left},
                {"failures", summary.failures}});
    return;
  }
  fmt::print("{} cells: {} had an answer, {} answered now, {} failed, {} left\n", summary.cells,
             summary.known, summary.done, summary.failed, summary.left);
}

// Also where cells failed: what others measured belongs there.
Status collect_what_there_is(const CampaignRunArguments& options, const OpenedCampaign& opened,
                             Context& context) {
  const std::vector<CollectSource> stores = stores_of(opened);
  if (opened.campaign.collect.empty() || stores.empty()) return {};
  const bool quiet = options.campaign.json || options.quiet;
  FLYBALL_ASSIGN(const std::vector<CollectOutcome> outcomes,
                 collect_with_progress(stores, opened.campaign.collect, 1, quiet));
  if (quiet)
    report_not_collected(outcomes, context);
  else
    tell_collected(outcomes, opened.campaign.collect, false, context);
  return {};
}

Status run_campaign_here(const CampaignRunArguments& options, const OpenedCampaign& opened,
                         Context& context) {
  catch_interrupts();
  set_interrupt_patience(0);  // cells that run put their boards back first
  Progress progress(options.quiet);
  LocalRun run{.program = own_program(), .cancelled = &interrupt_flag()};
  run.told = [&](size_t ended, size_t all, const std::string& name) {
    progress.show(ended, all, name);
  };
  FLYBALL_ASSIGN(const LocalSummary summary,
                 run_locally(opened.campaign, opened.cells, opened.folder, run));
  progress.finish();
  tell_summary(opened, summary, options.campaign.json);
  const std::string again = "`flyball campaign run " + opened.words + "`";
  if (is_interrupted(&interrupt_flag()))
    return Error{Code::interrupted, "stopped; answers so far are kept",
                 again + " goes on with what is missing"};
  std::error_code ignored;
  if (std::filesystem::exists(opened.folder.cancelled(), ignored))
    return Error{Code::interrupted,
                 fmt::format("the campaign was cancelled: {} cells are left", summary.left),
                 again + " goes on with them"};
  FLYBALL_CHECK(collect_what_there_is(options, opened, context));
  if (summary.failed > 0)
    return Error{
        Code::io,
        fmt::format(
            "{} no answer: {}{}",
            summary.failed == 1 ? "1 cell has" : fmt::format("{} cells have", summary.failed),
            join({summary.failures.begin(),
                  summary.failures.begin() +
                      static_cast<std::ptrdiff_t>(std::min<size_t>(summary.failures.size(), 5))},
                 ", "),
            summary.failures.size() > 5 ? ", …" : ""),
        fmt::format("`flyball campaign status {}` says why; {} tries again", opened.words, again)};
  return {};
}

Status run_campaign(const CampaignRunArguments& options, Context& context) {
  FLYBALL_ASSIGN(const OpenedCampaign opened, open_campaign(options.campaign));
  FLYBALL_CHECK(check_collecting(opened.campaign.collect));
  if (opened.campaign.executor == CampaignExecutor::slurm) return submit_campaign(options, opened);
  return run_campaign_here(options, opened, context);
}

}  // namespace

void add_campaign_run(CLI::App& campaign, Context& context) {
  CLI::App* command = campaign.add_subcommand(
      "run", "Run the cells that have no answer yet, or submit them to Slurm");
  auto options = std::make_shared<CampaignRunArguments>();
  add_campaign_file(*command, options->campaign, UsualExecutor::of_file);
  command
      ->add_option("--parallel", options->campaign.parallel,
                   "Cells at a time; default: as the file says")
      ->check(CLI::Range(1, 4096));
  add_quiet(*command, options->quiet);
  add_json_flag(*command, options->campaign.json);
  command->footer("Example:\n  flyball campaign run campaign.toml --parallel 2");
  set_action(*command, context, [options, &context] { return run_campaign(*options, context); });
}

}  // namespace flyball::cli
