// flyball report: a stored run as a page.
#include <fmt/format.h>

#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/report_file.h"
#include "cli/stored.h"
#include "report/run_report.h"

namespace flyball::cli {
namespace {

struct ReportOptions {
  int64_t run = 0;
  std::string out, store;
};

Status run(const ReportOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const ShownRun shown, run_or_fact(store, options.run));
  // Facts that cannot be read take nothing but their own figures from the page.
  const auto costs = board_costs(store);
  if (!costs) fmt::print(stderr, "note: without idle power: {}\n", costs.error().message);
  const std::string file =
      options.out.empty() ? fmt::format("flyball-run-{}.html", options.run) : options.out;
  return write_report(
      file,
      run_report(shown.run, shown.trials, costs ? *costs : BoardCosts(), shown.experiment_runs),
      false);
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("report", "Write the HTML report of a stored run");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("run", options->run, "Number of the run, as `flyball runs list` shows it")
      ->required();
  writes(command->add_option("--out,-o", options->out,
                             "File to write; default: flyball-run-RUN.html"));
  add_store_option(*command, options->store);
  command->footer("Example:\n  flyball report 3 --out run3.html");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
