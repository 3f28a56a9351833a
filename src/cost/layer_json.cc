#include "cost/layer_json.h"

#include "base/json.h"

namespace flyball {
namespace {

Json layer_json(const Layer& layer) {
  return {{"name", layer.name},
          {"op", layer.op},
          {"kind", layer_kind_name(layer.kind)},
          {"shape", layer.shape},
          {"parameters", layer.parameters},
          {"flop", layer.flop},
          {"bytes", layer.bytes},
          {"kernels", layer.kernels},
          {"activation_bytes", layer.activation_bytes}};
}

}  // namespace

Json layer_table_json(const LayerTable& table) {
  const LayerTotals totals = table.totals();
  Json layers = Json::array();
  for (const Layer& layer : table.layers) layers.push_back(layer_json(layer));
  return {{"workload", table.workload},
          {"phase", phase_name(table.phase)},
          {"batch_size", table.batch_size},
          {"rules", count_rules_name(table.rules)},
          {"parameters", totals.parameters},
          {"flop", totals.flop},
          {"bytes", totals.bytes},
          {"kernels", totals.kernels},
          {"activation_bytes", totals.activation_bytes},
          {"intensity", totals.intensity()},
          {"layers", layers}};
}

}  // namespace flyball
