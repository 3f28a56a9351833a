#include "cli/text/describe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/output.h"
#include "cost/kind_totals.h"

namespace flyball::cli {
namespace {

constexpr size_t kLargest = 10;

// "4.09 GB"
std::string amount(double value, const std::string& unit = "") {
  constexpr std::array prefixes = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const std::string tail = prefixes.at(prefix) + unit;
  return number(value) + (tail.empty() ? "" : " " + tail);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return shape.empty() ? "" : fmt::format("{}", fmt::join(shape, "×"));
}

std::string kinds_text(const LayerTable& table, const LayerTotals& totals) {
  TextTable text({"kind", "operators", "parameters", "FLOP", "of it", "bytes", "of them",
                  "FLOP/byte", "kernels"});
  for (const auto& [kind, operators, sum] : kind_totals(table))
    text.add({layer_kind_name(kind), fmt::format("{}", operators), amount(sum.parameters),
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

std::string layer_table_text(const LayerTable& table, bool all, const std::string& sample) {
  const LayerTotals totals = table.totals();
  std::string text = fmt::format(
      "{}, {} of {} sample{}{} (rules {}): {:.0f} parameters, {}, {}, {} FLOP/byte, {:.0f} "
      "kernels\n",
      table.workload, table.phase == Phase::train ? "a training step" : "an inference",
      table.batch_size, table.batch_size == 1 ? "" : "s", sample.empty() ? "" : " of " + sample,
      count_rules_name(table.rules), totals.parameters, amount(totals.flop, "FLOP"),
      amount(totals.bytes, "B"), number(totals.intensity()), totals.kernels);
  if (totals.activation_bytes > 0)
    text += fmt::format("kept for the backward pass: {}\n", amount(totals.activation_bytes, "B"));
  text += "\n" + kinds_text(table, totals);
  text +=
      fmt::format("\n{}\n", all ? "layers in order of execution" : "largest layers (--all: each)");
  return text + layers_text(table, totals, all);
}

}  // namespace flyball::cli
