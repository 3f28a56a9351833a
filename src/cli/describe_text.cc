#include "cli/describe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cli/output.h"

namespace flyball::cli {
namespace {

constexpr size_t kLargest = 10;

// "4.09 G"
std::string amount(double value) {
  constexpr std::array prefixes = {"", " k", " M", " G", " T", " P"};
  size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return number(value) + prefixes.at(prefix);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return shape.empty() ? "" : fmt::format("{}", fmt::join(shape, "×"));
}

void add_to(LayerTotals& sum, const Layer& layer) {
  sum.parameters += layer.parameters;
  sum.flop += layer.flop;
  sum.bytes += layer.bytes;
  sum.kernels += layer.kernels;
  sum.activation_bytes += layer.activation_bytes;
}

std::string kinds_text(const LayerTable& table, const LayerTotals& totals) {
  std::map<LayerKind, LayerTotals> kinds;
  std::map<LayerKind, size_t> counts;
  for (const Layer& layer : table.layers) {
    add_to(kinds[layer.kind], layer);
    ++counts[layer.kind];
  }
  std::vector<std::pair<LayerKind, LayerTotals>> order(kinds.begin(), kinds.end());
  std::ranges::stable_sort(
      order, [](const auto& a, const auto& b) { return a.second.flop > b.second.flop; });
  TextTable text({"kind", "operators", "parameters", "FLOP", "of it", "bytes", "of them",
                  "FLOP/byte", "kernels"});
  for (const auto& [kind, sum] : order)
    text.add({layer_kind_name(kind), fmt::format("{}", counts[kind]), amount(sum.parameters),
              amount(sum.flop), percent(sum.flop, totals.flop), amount(sum.bytes),
              percent(sum.bytes, totals.bytes), number(sum.intensity()), amount(sum.kernels)});
  return text.str();
}

std::string layers_text(const LayerTable& table, const LayerTotals& totals, bool all) {
  std::vector<const Layer*> order;
  for (const Layer& layer : table.layers) order.push_back(&layer);
  if (!all) {
    std::ranges::stable_sort(order,
                             [](const Layer* a, const Layer* b) { return a->flop > b->flop; });
    order.resize(std::min(order.size(), kLargest));
  }
  TextTable text(
      {"layer", "operator", "shape", "parameters", "FLOP", "of it", "bytes", "FLOP/byte"});
  for (const Layer* layer : order)
    text.add({layer->name, layer->op, shape_text(layer->shape), amount(layer->parameters),
              amount(layer->flop), percent(layer->flop, totals.flop), amount(layer->bytes),
              number(layer->bytes > 0 ? layer->flop / layer->bytes : 0)});
  return text.str();
}

}  // namespace

std::string layer_table_text(const LayerTable& table, bool all) {
  const LayerTotals totals = table.totals();
  std::string text = fmt::format(
      "{}, {} of {} sample{} (rules {}): {} parameters, {}FLOP, {}B, {} FLOP/byte, {} kernels\n",
      table.workload, table.phase == Phase::train ? "a training step" : "an inference",
      table.batch_size, table.batch_size == 1 ? "" : "s", count_rules_name(table.rules),
      fmt::format("{:.0f}", totals.parameters), amount(totals.flop) + " ",
      amount(totals.bytes) + " ", number(totals.intensity()),
      fmt::format("{:.0f}", totals.kernels));
  if (totals.activation_bytes > 0)
    text += fmt::format("kept for the backward pass: {}B\n", amount(totals.activation_bytes) + " ");
  text += "\n" + kinds_text(table, totals);
  text +=
      fmt::format("\n{}\n", all ? "layers in order of execution" : "largest layers (--all: each)");
  return text + layers_text(table, totals, all);
}

}  // namespace flyball::cli
