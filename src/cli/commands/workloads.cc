#include "base/json.h"
#include "base/text.h"
#include "workload/workload.h"

#include <fmt/format.h>

#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "device/registry/board.h"
#include "twin/twin.h"

namespace flyball::cli {
namespace {

// "bert_base 70000, lstm 36000": of an epoch in the papers, where it is another one than the data
// set's. Simulated boards and comparisons with what was published count these.
std::string epochs_of_papers() {
  std::vector<std::string> others;
  for (const Workload& workload : workloads()) {
    const auto twin = known_twin_workload(workload.name, Phase::train);
    if (!twin || twin->data.samples == 0) continue;
    const auto samples = static_cast<int64_t>(twin->data.samples);
    if (samples != workload.samples) others.push_back(fmt::format("{} {}", workload.name, samples));
  }
  return join(others, ", ");
}

Status list_workloads(bool json) {
  Json document = Json::array();
  TextTable table({"workload", "parameters", "weights MB", "training MB", "dataset", "samples",
                   "input", "phases", ""});
  const auto megabytes = [](int64_t bytes) { return number(1e-6 * static_cast<double>(bytes)); };
  for (const Workload& workload : workloads()) {
    std::string phases;
    for (Phase phase : workload.phases)
      phases += (phases.empty() ? "" : ", ") + std::string(phase_name(phase));
    table.add({workload.name, fmt::format("{}", workload.parameters),
               megabytes(workload.weight_bytes), megabytes(workload.training_bytes),
               workload.dataset, fmt::format("{}", workload.samples), workload.shape.input.text(),
               phases, workload.summary});
    document.push_back({{"name", workload.name},
                        {"summary", workload.summary},
                        {"parameters", workload.parameters},
                        {"weight_bytes", workload.weight_bytes},
                        {"training_bytes", workload.training_bytes},
                        {"dataset", workload.dataset},
                        {"samples", workload.samples},
                        {"input", workload.shape.input.text()},
                        {"phases", phases}});
  }
  if (json)
    print_json({{"workloads", document}});
  else
    fmt::print(
        "{}parameters: of the published number of classes; those of a dataset are of its own\n"
        "weights, training: measured in fp32 on a CPU, in the default shape; the peak of a "
        "training\n"
        "step with momentum on 16 samples; of other sizes `flyball describe W` tells\n"
        "dataset: read in place (docs/data.md); drawn in its format where none is named\n"
        "samples: of the data set; an epoch of the papers, which simulated boards and `compare "
        "boards`\n"
        "count, has others: {}\n",
        table.str(), epochs_of_papers());
  return {};
}

Json kinds_json() {
  Json kinds = Json::array();
  for (const BoardKind& kind : board_kinds())
    kinds.push_back({{"device", kind.usage()}, {"summary", kind.summary}});
  return kinds;
}

Status list_devices(const std::string& root, bool json) {
  FLYBALL_ASSIGN(const auto board, open_named_board("", root));
  FLYBALL_ASSIGN(const auto knobs, board->knobs());
  Json axes = Json::array();
  TextTable table({"axis", "unit", "values"});
  for (const Axis& axis : knobs->axes()) {
    std::string values;
    for (double value : axis.values)
      values += fmt::format("{}{}", values.empty() ? "" : ", ", value);
    table.add({axis.name, axis.unit, values});
    axes.push_back({{"name", axis.name}, {"unit", axis.unit}, {"values", axis.values}});
  }
  const DeviceInfo& device = board->info().device;
  if (json) {
    print_json({{"devices",
                 {{{"name", device.name},
                   {"title", device.title},
                   {"fingerprint", device.fingerprint},
                   {"axes", axes},
                   {"gaps", knobs->gap_texts()}}}},
                {"kinds", kinds_json()}});
    return {};
  }
  fmt::print("{}: {}\n{}", device.name, device.title, table.str());
  for (const std::string& gap : knobs->gap_texts()) fmt::print("note: {}\n", gap);
  fmt::print("\n--device takes:\n");
  TextTable kinds({"device", ""});
  for (const BoardKind& kind : board_kinds()) kinds.add({kind.usage(), kind.summary});
  fmt::print("{}", kinds.str());
  return {};
}

}  // namespace

void add_workloads(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("workloads", "List the networks that Flyball brings along");
  auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  command->footer("Example:\n  flyball workloads");
  set_action(*command, context, [json] { return list_workloads(*json); });
}

void add_devices(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("devices", "List the boards there are, with their axes");
  auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  auto root = std::make_shared<std::string>("/");
  add_root_option(*command, *root);
  add_board_name(*command);
  command->footer("Example:\n  flyball devices\n  flyball devices --root recorded-tree");
  set_action(*command, context, [json, root] { return list_devices(*root, *json); });
}

}  // namespace flyball::cli
