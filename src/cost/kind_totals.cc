#include "cost/kind_totals.h"

#include <algorithm>
#include <map>

namespace flyball {

std::vector<KindTotals> kind_totals(const LayerTable& table) {
  std::map<LayerKind, LayerTable> parts;
  for (const Layer& layer : table.layers) parts[layer.kind].layers.push_back(layer);
  std::vector<KindTotals> kinds;
  for (const auto& [kind, part] : parts) kinds.push_back({kind, part.layers.size(), part.totals()});
  std::ranges::stable_sort(kinds, [](const KindTotals& a, const KindTotals& b) {
    return a.totals.flop > b.totals.flop;
  });
  return kinds;
}

}  // namespace flyball
