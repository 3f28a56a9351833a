#include "workload/workload.h"

#include <fmt/format.h>

#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "device/host.h"

namespace flyball::cli {
namespace {

Status list_workloads(bool json) {
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  TextTable table({"workload", "parameters", "dataset", "phases", ""});
  for (const Workload& workload : workloads()) {
    std::string phases;
    for (Phase phase : workload.phases)
      phases += (phases.empty() ? "" : ", ") + std::string(phase_name(phase));
    table.add({workload.name, fmt::format("{}", workload.parameters), workload.dataset, phases,
               workload.summary});
    document.push_back({{"name", workload.name},
                        {"summary", workload.summary},
                        {"parameters", workload.parameters},
                        {"dataset", workload.dataset},
                        {"phases", phases}});
  }
  if (json)
    print_json({{"workloads", document}});
  else
    fmt::print("{}", table.str());
  return {};
}

Status list_devices(bool json) {
  FLYBALL_ASSIGN(const auto host, open_host());
  nlohmann::ordered_json axes = nlohmann::ordered_json::array();
  TextTable table({"axis", "unit", "values"});
  for (const Axis& axis : host->axes()) {
    std::string values;
    for (double value : axis.values)
      values += fmt::format("{}{}", values.empty() ? "" : ", ", value);
    table.add({axis.name, axis.unit, values});
    axes.push_back({{"name", axis.name}, {"unit", axis.unit}, {"values", axis.values}});
  }
  if (json) {
    print_json({{"devices",
                 {{{"name", host->info().name},
                   {"title", host->info().title},
                   {"fingerprint", host->info().fingerprint},
                   {"axes", axes},
                   {"gaps", host->gaps()}}}}});
    return {};
  }
  fmt::print("host: {}\n{}", host->info().title, table.str());
  for (const std::string& gap : host->gaps()) fmt::print("note: {}\n", gap);
  fmt::print("table:FILE: any measured table, as if it were a board\n");
  return {};
}

}  // namespace

void add_workloads(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("workloads", "the networks that Flyball brings along");
  auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  command->footer("Example:\n  flyball workloads");
  set_action(*command, context, [json] { return list_workloads(*json); });
}

void add_devices(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("devices", "the boards there are, with their axes");
  auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  command->footer("Example:\n  flyball devices");
  set_action(*command, context, [json] { return list_devices(*json); });
}

}  // namespace flyball::cli
