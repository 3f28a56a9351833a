#include "store/reference_folder.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tables.h"

namespace flyball::cli {
namespace {

struct ReferenceArguments {
  std::string file, name, board;
  bool json = false;
};

ReferenceFolder shelf() {
  return ReferenceFolder(ReferenceFolder::default_place());
}

Status add(const ReferenceArguments& options) {
  FLYBALL_ASSIGN(const Table table, read_table(options.file));
  const std::string name =
      options.name.empty() ? std::filesystem::path(options.file).stem().string() : options.name;
  FLYBALL_ASSIGN(const size_t dropped, shelf().add(table, name));
  std::vector<std::string> titles;
  size_t simulated = 0;
  for (const WorkloadTable& workload : table.workloads) {
    titles.push_back(workload.title());
    size_t rows = 0;
    accepted_rows(workload, Accepted{.predicted = true}, rows);
    simulated += rows;
  }
  if (simulated > 0)
    fmt::print(stderr, "note: {} rows of it are simulated: used with --accept simulated alone\n",
               simulated);
  if (options.json) {
    print_json({{"name", name},
                {"folder", shelf().folder().string()},
                {"workloads", titles},
                {"predicted_rows_left_out", dropped}});
    return {};
  }
  fmt::print("reference {}: {}\n", name, join(titles, ", "));
  if (dropped > 0) fmt::print("{} predicted rows were left out\n", dropped);
  return {};
}

Status list(const ReferenceArguments& options) {
  FLYBALL_ASSIGN(const KeptReferences all, kept_references());
  TextTable text({"name", "device", "workload", "phase", "rows", "axes", "power total"});
  Json references = Json::array();
  for (const KeptReference& reference : all.tables)
    for (const WorkloadTable& workload : reference.table.workloads) {
      if (!options.board.empty() && workload.device != options.board) continue;
      std::vector<std::string> axes;
      for (const Axis& axis : workload.space.axes()) axes.push_back(axis.name);
      text.add({reference.name, workload.device, workload.workload, phase_name(workload.phase),
                fmt::format("{}", workload.size()), join(axes, ", "),
                or_dash(workload.power_total)});
      references.push_back(
          {{"name", reference.name},
           {"device", workload.device},
           {"workload", workload.workload},
           {"phase", phase_name(workload.phase)},
           {"rows", workload.size()},
           {"axes", axes},
           {"power_total",
            workload.power_total.empty() ? Json(nullptr) : Json(workload.power_total)}});
    }
  if (options.json)
    print_json({{"folder", shelf().folder().string()}, {"references", references}});
  else if (text.empty())
    fmt::print("no references in {}\n", shelf().folder().string());
  else
    fmt::print("{}", text.str());
  return {};
}

Status remove(const ReferenceArguments& options) {
  FLYBALL_CHECK(shelf().remove(options.name));
  if (options.json)
    print_json({{"removed", options.name}});
  else
    fmt::print("reference {} is gone\n", options.name);
  return {};
}

void finish(CLI::App* command, const std::shared_ptr<ReferenceArguments>& options, Context& context,
            Status (*act)(const ReferenceArguments&)) {
  add_json_flag(*command, options->json);
  set_action(*command, context, [options, act] { return act(*options); });
}

}  // namespace

void add_reference(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand(
      "reference", "Keep tables of earlier workloads that predictions on their board start from");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball reference add resnet18.csv");
  auto options = std::make_shared<ReferenceArguments>();
  CLI::App* adder = group->add_subcommand("add", "Keep a measured table");
  adder->add_option("file", options->file, "Tidy table; `flyball import` maps others")->required();
  adder->add_option("--name", options->name, "Name to keep it by; default: the file's");
  adder->footer("Example:\n  flyball reference add resnet18.csv --name orin-resnet18");
  finish(adder, options, context, add);
  CLI::App* lister = group->add_subcommand("list", "List what is kept");
  add_board_filter(*lister, options->board);
  lister->footer("Example:\n  flyball reference list");
  finish(lister, options, context, list);
  CLI::App* remover = group->add_subcommand("remove", "Forget one");
  remover->add_option("name", options->name, "Name, as `flyball reference list` shows it")
      ->required();
  remover->footer("Example:\n  flyball reference remove orin-resnet18");
  finish(remover, options, context, remove);
}

}  // namespace flyball::cli
