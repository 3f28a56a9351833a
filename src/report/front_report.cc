#include "report/front_report.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "report/grid.h"
#include "report/sheet.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

Json front_chart(const Fronts& fronts, const std::vector<size_t>& front,
                 const std::vector<double>& cost, const std::string& name,
                 const std::string& unit) {
  const WorkloadTable& table = fronts.table;
  Json points = Json::array(), line = Json::array();
  for (const size_t row : front) {
    points.push_back({{"x", cost[row]},
                      {"y", fronts.time_ms[row]},
                      {"label", describe(table.space.settings(row))},
                      {"group", provenance_name(table.known(row))},
                      {"marked", false}});
    line.push_back({cost[row], fronts.time_ms[row]});
  }
  return {{"title", fmt::format("{}: front of time and {}", table.title(), name)},
          {"x", {{"label", name}, {"unit", unit}}},
          {"y", {{"label", "time per " + fronts.counted()}, {"unit", "ms"}}},
          {"points", points},
          {"limits", Json::array()},
          {"lines", {{{"label", "Pareto front"}, {"points", line}}}}};
}

}  // namespace

Json front_report(std::span<const Fronts> workloads, const std::string& command) {
  size_t on_front = 0, all = 0;
  Json charts = Json::array(), grids = Json::array(), gaps = Json::array();
  for (const Fronts& fronts : workloads) {
    const WorkloadTable& table = fronts.table;
    all += table.size();
    grids.push_back(sheet_grid(table));
    if (!table.has_power()) {
      gaps.push_back(table.title() + " holds no power readings, so there is no front");
      continue;
    }
    on_front += fronts.power.size();
    charts.push_back(front_chart(fronts, fronts.power, table.power_w, "power", "W"));
    charts.push_back(
        front_chart(fronts, fronts.energy, fronts.energy_j, "energy per " + fronts.counted(), "J"));
  }
  const std::string title = workloads.size() == 1 ? workloads.front().table.title()
                                                  : fmt::format("{} workloads", workloads.size());
  Json sheet = new_sheet(
      {"front", "front of " + title, "Pareto front · " + title,
       fmt::format("Nothing beats {} of {} configurations in time and power.", on_front, all),
       command, wall_clock_utc()});
  sheet["charts"] = std::move(charts);
  sheet["grids"] = std::move(grids);
  for (const Fronts& fronts : workloads)
    sheet["facts"].push_back(
        fact_list(fronts.table.title(), {{"power total", fronts.table.power_total},
                                         {"configurations", std::to_string(fronts.table.size())}}));
  for (const Json& gap : gaps) add_note(sheet, "gap", gap);
  return sheet;
}

}  // namespace flyball
