#include "report/front_report.h"

#include <fmt/format.h>

#include <cmath>

#include "base/clock.h"
#include "report/grid.h"
#include "report/sheet.h"
#include "space/pareto.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

struct Costs {
  std::vector<double> ms, power_w, joules;
  std::string per = "minibatch";
};

Costs costs_of(const WorkloadTable& table) {
  Costs costs;
  const auto batch = table.space.axis_index(axis::batch_size);
  const bool varies = batch && table.space.axes()[*batch].values.size() > 1;
  if (varies) costs.per = "sample";
  for (size_t i = 0; i < table.size(); ++i) {
    const double n = varies ? table.space.row(i)[*batch] : 1;
    costs.ms.push_back(table.minibatch_ms[i] / n);
    costs.power_w.push_back(table.power_w[i]);
    costs.joules.push_back(table.minibatch_ms[i] * table.power_w[i] * 1e-3 / n);
  }
  return costs;
}

Json front_chart(const WorkloadTable& table, const Costs& costs, const std::vector<double>& cost,
                 const std::string& name, const std::string& unit) {
  Json points = Json::array(), line = Json::array();
  for (const size_t row : pareto_front(cost, costs.ms)) {
    points.push_back({{"x", cost[row]},
                      {"y", costs.ms[row]},
                      {"label", describe(table.space.settings(row))},
                      {"group", provenance_name(table.known(row))},
                      {"marked", false}});
    line.push_back({cost[row], costs.ms[row]});
  }
  return {{"title", fmt::format("{}: front of time and {}", table.title(), name)},
          {"x", {{"label", name}, {"unit", unit}}},
          {"y", {{"label", "time per " + costs.per}, {"unit", "ms"}}},
          {"points", points},
          {"limits", Json::array()},
          {"lines", {{{"label", "Pareto front"}, {"points", line}}}}};
}

}  // namespace

Json front_report(std::span<const WorkloadTable> tables, const std::string& command) {
  size_t on_front = 0, all = 0;
  Json charts = Json::array(), grids = Json::array(), gaps = Json::array();
  for (const WorkloadTable& table : tables) {
    const Costs costs = costs_of(table);
    all += table.size();
    grids.push_back(sheet_grid(table));
    if (!table.has_power()) {
      gaps.push_back(table.title() + " holds no power readings, so there is no front");
      continue;
    }
    on_front += pareto_front(costs.power_w, costs.ms).size();
    charts.push_back(front_chart(table, costs, costs.power_w, "power", "W"));
    charts.push_back(front_chart(table, costs, costs.joules, "energy per " + costs.per, "J"));
  }
  const std::string title =
      tables.size() == 1 ? tables.front().title() : fmt::format("{} workloads", tables.size());
  Json sheet = new_sheet(
      {"front", "front of " + title, "Pareto front · " + title,
       fmt::format("Nothing beats {} of {} configurations in time and power.", on_front, all),
       command, wall_clock_utc()});
  sheet["charts"] = std::move(charts);
  sheet["grids"] = std::move(grids);
  for (const WorkloadTable& table : tables)
    sheet["facts"].push_back(fact_list(
        table.title(),
        {{"power total", table.power_total}, {"configurations", std::to_string(table.size())}}));
  for (const Json& gap : gaps) add_note(sheet, "gap", gap);
  return sheet;
}

}  // namespace flyball
