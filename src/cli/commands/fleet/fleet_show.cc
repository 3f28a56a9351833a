#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "cli/action.h"
#include "cli/commands/fleet/fleet.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/report_file.h"
#include "cli/stored.h"
#include "cli/text/collected_fleet_text.h"
#include "fleet/collected_fleet.h"
#include "report/page.h"
#include "store/store_database.h"

namespace flyball::cli {
namespace {

struct FleetShowArguments {
  FleetShowQuestion question;
  std::string store, csv, report;
  bool json = false;
};

Status run(FleetShowArguments options, const Context& context) {
  options.question.now_utc = wall_clock_utc();
  FLYBALL_ASSIGN(Database database, open_store_database_to_read(store_place(options.store),
                                                                {.create = options.store.empty()}));
  FLYBALL_ASSIGN(const CollectedFleet fleet, collected_fleet(database, options.question));
  const Json document = to_json(fleet);
  if (options.json)
    print_json(document);
  else
    fmt::print("{}", collected_fleet_text(fleet));
  if (!options.csv.empty()) FLYBALL_CHECK(write_fleet_tables(fleet, options.csv));
  return write_report(options.report, page_document("fleet", context.command, document),
                      options.json);
}

}  // namespace

void add_fleet_show(CLI::App& fleet, Context& context) {
  CLI::App* command = fleet.add_subcommand(
      "show", "Show the boards of a collected store: health, spread, best modes, software");
  auto options = std::make_shared<FleetShowArguments>();
  add_store_option(*command, options->store);
  add_powers(
      *command, "--power-budget",
      [options](Watts power) {
        std::vector<double>& budgets = options->question.budgets_w;
        if (std::ranges::find(budgets, power.value) == budgets.end())
          budgets.push_back(power.value);
      },
      "Power that a mode may draw; several with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_duration(
      *command, "--stale", [options](Seconds time) { options->question.stale_s = time.value; },
      "A board that was last seen longer ago is stale; default: 168h", above_zero("s"));
  command
      ->add_option("--csv", options->csv,
                   "Folder for boards.csv, best.csv, spread.csv and software.csv")
      ->type_name("FOLDER");
  add_report_option(*command, options->report);
  add_json_flag(*command, options->json);
  command->footer("Example:\n  flyball fleet show --store fleet.db --power-budget 15W,30W");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
