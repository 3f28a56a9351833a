#include <fmt/format.h>

#include "base/figure.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "report/grid.h"
#include "report/page.h"
#include "space/fronts.h"

namespace flyball::cli {
namespace {

struct ParetoArguments {
  std::string file, workload, phase, report, command;
  bool json = false, all = false;
};

// Of a front as text, where --all does not ask for the rest.
constexpr size_t rows_shown = 20;

Json row_json(const Fronts& fronts, size_t row) {
  return {{"config", fronts.table.space.settings(row)},
          {"minibatch_ms", fronts.table.minibatch_ms[row]},
          {"power_w", fronts.table.power_w[row]},
          {"minibatch_j", fronts.minibatch_j(row)},
          {"sample_ms", fronts.table.minibatch_ms[row] / fronts.samples(row)},
          {"sample_j", fronts.minibatch_j(row) / fronts.samples(row)},
          {"provenance", provenance_name(fronts.table.known(row))}};
}

Json fronts_json(const Fronts& fronts) {
  Json power = Json::array(), energy = Json::array();
  for (size_t row : fronts.power) power.push_back(row_json(fronts, row));
  for (size_t row : fronts.energy) energy.push_back(row_json(fronts, row));
  return {{"workload", fronts.table.workload},
          {"phase", phase_name(fronts.table.phase)},
          {"device", fronts.table.device},
          {"power_total",
           fronts.table.power_total.empty() ? Json(nullptr) : Json(fronts.table.power_total)},
          {"configurations", fronts.table.size()},
          {"repeats", fronts.repeats},
          {"per_sample", fronts.per_sample},
          {"has_power", fronts.table.has_power()},
          {"power_front", power},
          {"energy_front", energy}};
}

Json document_of(const std::string& file, const std::vector<Fronts>& all) {
  Json workloads = Json::array();
  for (const Fronts& fronts : all) workloads.push_back(fronts_json(fronts));
  return {{"file", file}, {"workloads", workloads}};
}

Status write_page(const ParetoArguments& options, const std::vector<Fronts>& all) {
  if (options.report.empty()) return {};
  std::vector<WorkloadTable> tables;
  for (const Fronts& fronts : all) tables.push_back(fronts.table);
  Json page = page_document("front", options.command, document_of(options.file, all));
  page["tables"] = table_grids(tables);
  return write_report(options.report, page, options.json);
}

// The rows of a front that are shown: its ends, and others evenly between them.
std::vector<size_t> shown_rows(const std::vector<size_t>& front, bool all) {
  if (all || front.size() <= rows_shown) return front;
  std::vector<size_t> shown;
  for (size_t i = 0; i < rows_shown; ++i)
    shown.push_back(front[i * (front.size() - 1) / (rows_shown - 1)]);
  return shown;
}

void print_front(const Fronts& fronts, const std::vector<size_t>& front, const char* title,
                 bool all) {
  const WorkloadTable& table = fronts.table;
  fmt::print("\n{}: {} of {} configurations\n", title, front.size(), table.size());
  std::vector<std::string> header;
  for (const Axis& axis : table.space.axes()) header.push_back(axis.name);
  const std::string per = fronts.counted();
  header.insert(header.end(), {per + " ms", "power W", per + " J", "known"});
  TextTable text(header);
  const std::vector<size_t> shown = shown_rows(front, all);
  for (size_t row : shown) {
    std::vector<std::string> cells;
    for (double value : table.space.row(row)) cells.push_back(format_number(value));
    cells.insert(cells.end(),
                 {upper_figure(fronts.time_ms[row]), upper_figure(table.power_w[row]),
                  upper_figure(fronts.energy_j[row]), provenance_name(table.known(row))});
    text.add(std::move(cells));
  }
  fmt::print("{}", text.str());
  if (shown.size() < front.size())
    fmt::print("{} of {} shown, evenly spread; --all shows the rest\n", shown.size(), front.size());
}

void print_fronts(const Fronts& fronts, bool all) {
  fmt::print("{}\n", fronts.table.title());
  if (fronts.repeats > 0) fmt::print("{}\n", merged_text(fronts.repeats));
  if (fronts.per_sample) fmt::print("compared and told per sample, since the batch size varies\n");
  if (!fronts.table.has_power()) {
    fmt::print("the table holds no power readings, so there is no front\n");
    return;
  }
  print_front(fronts, fronts.power, "front of time and power", all);
  print_front(fronts, fronts.energy, "front of time and energy", all);
}

Status run(const ParetoArguments& options) {
  FLYBALL_ASSIGN(const Table table, read_table(options.file));
  std::optional<Phase> phase;
  if (!options.phase.empty()) {
    FLYBALL_ASSIGN(phase, parse_phase(options.phase));
  }
  std::vector<Fronts> all;
  for (const WorkloadTable& workload : table.workloads)
    if ((options.workload.empty() || workload.workload == options.workload) &&
        (!phase || workload.phase == *phase))
      all.push_back(fronts_of(workload));
  if (all.empty()) {
    std::vector<std::string> titles;
    for (const WorkloadTable& workload : table.workloads) titles.push_back(workload.title());
    return Error{Code::invalid_argument,
                 fmt::format("{} holds no workload{}{}", options.file,
                             options.workload.empty() ? "" : " '" + options.workload + "'",
                             options.phase.empty() ? "" : " in phase " + options.phase),
                 "it holds: " + join(titles, ", ")};
  }
  FLYBALL_CHECK(write_page(options, all));
  if (options.json) {
    print_json(document_of(options.file, all));
    return {};
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0) fmt::print("\n");
    print_fronts(all[i], options.all);
  }
  return {};
}

}  // namespace

void add_pareto(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "pareto", "Show what nothing in a table beats in time and power, or energy");
  auto options = std::make_shared<ParetoArguments>();
  command->add_option("file", options->file, "Any table, measured or predicted")->required();
  command->add_option("--workload", options->workload, "Only this workload");
  takes_one_of(command->add_option("--phase", options->phase, "Only this phase"),
               {"train", "infer"});
  command->add_flag("--all", options->all,
                    fmt::format("Show every row of a front, not {} of them", rows_shown));
  add_report_option(*command, options->report);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball pareto table.csv --workload mobilenet_v3 --report front.html");
  set_action(*command, context, [options, &context] {
    options->command = context.command;
    return run(*options);
  });
}

}  // namespace flyball::cli
