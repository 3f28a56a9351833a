#include "cost/layer_json.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"

namespace flyball {
namespace {

Error wrong(const std::string& what) {
  return {Code::corrupt, "this is no table of layers: " + what,
          "`flyball describe --json` writes one"};
}

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

Result<std::string> text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    return wrong(fmt::format("'{}' is missing or no text", key));
  return found->get<std::string>();
}

Result<double> amount(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number())
    return wrong(fmt::format("'{}' is missing or no number", key));
  const double value = found->get<double>();
  if (std::isfinite(value) && value >= 0) return value;
  return wrong(fmt::format("'{}' is {}", key, value));
}

Result<Layer> read_layer(const Json& object) {
  if (!object.is_object()) return wrong("a layer is no object");
  Layer layer;
  FLYBALL_ASSIGN(layer.name, text(object, "name"));
  FLYBALL_ASSIGN(layer.op, text(object, "op"));
  FLYBALL_ASSIGN(const std::string kind, text(object, "kind"));
  FLYBALL_ASSIGN(layer.kind, parse_layer_kind(kind));
  const auto shape = object.find("shape");
  if (shape == object.end() || !shape->is_array()) return wrong("'shape' is missing or no list");
  for (const Json& size : *shape) {
    if (!size.is_number_integer() || size.get<int64_t>() < 0)
      return wrong("'shape' holds no sizes");
    layer.shape.push_back(size.get<int64_t>());
  }
  FLYBALL_ASSIGN(layer.parameters, amount(object, "parameters"));
  FLYBALL_ASSIGN(layer.flop, amount(object, "flop"));
  FLYBALL_ASSIGN(layer.bytes, amount(object, "bytes"));
  FLYBALL_ASSIGN(layer.kernels, amount(object, "kernels"));
  FLYBALL_ASSIGN(layer.activation_bytes, amount(object, "activation_bytes"));
  return layer;
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

Result<LayerTable> read_layer_table(const Json& document) {
  if (!document.is_object()) return wrong("it is no object");
  LayerTable table;
  FLYBALL_ASSIGN(table.workload, text(document, "workload"));
  FLYBALL_ASSIGN(const std::string phase, text(document, "phase"));
  FLYBALL_ASSIGN(table.phase, parse_phase(phase));
  FLYBALL_ASSIGN(const std::string rules, text(document, "rules"));
  FLYBALL_ASSIGN(table.rules, parse_count_rules(rules));
  FLYBALL_ASSIGN(table.batch_size, amount(document, "batch_size"));
  const auto layers = document.find("layers");
  if (layers == document.end() || !layers->is_array()) return wrong("'layers' is missing");
  for (const Json& object : *layers) {
    FLYBALL_ASSIGN(Layer layer, read_layer(object));
    table.layers.push_back(std::move(layer));
  }
  return table;
}

}  // namespace flyball
