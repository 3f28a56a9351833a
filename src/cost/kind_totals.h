// A layer table summed up by kind of operator.
#pragma once

#include <vector>

#include "cost/layer_table.h"

namespace flyball {

struct KindTotals {
  LayerKind kind = LayerKind::other;
  size_t operators = 0;
  LayerTotals totals;
};
/// The kinds that stand in the table, those of most FLOP first.
std::vector<KindTotals> kind_totals(const LayerTable& table);

}  // namespace flyball
