#include "report/grid.h"

#include <cmath>

#include "base/json.h"

namespace flyball {
namespace {

Json table_grid(const WorkloadTable& given) {
  const WorkloadTable table = merge_repeats(given);
  const std::vector<Axis>& all = table.space.axes();
  Json axes = Json::array(), configurations = Json::array();
  std::vector<size_t> kept;
  for (size_t d = 0; d < all.size(); ++d) {
    if (all[d].values.size() < 2) continue;
    kept.push_back(d);
    axes.push_back({{"name", all[d].name},
                    {"unit", all[d].unit},
                    {"scope", all[d].scope == Scope::board ? "board" : "run"}});
  }
  for (size_t i = 0; i < table.size(); ++i) {
    Json config = Json::array();
    for (const size_t d : kept) config.push_back(table.space.row(i)[d]);
    configurations.push_back(
        {{"config", config},
         {"time_ms", or_null(table.minibatch_ms[i])},
         {"power_w", or_null(table.power_w[i])},
         {"energy_j", or_null(table.minibatch_ms[i] * table.power_w[i] * 1e-3)},
         {"provenance", provenance_name(table.known(i))}});
  }
  return {{"title", table.title()}, {"axes", axes}, {"configurations", configurations}};
}

}  // namespace

Json table_grids(std::span<const WorkloadTable> tables) {
  auto grids = Json::array();
  for (const WorkloadTable& table : tables) grids.push_back(table_grid(table));
  return grids;
}

}  // namespace flyball
