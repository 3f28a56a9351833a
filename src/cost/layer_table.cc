#include "cost/layer_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace flyball {
namespace {

constexpr std::array kind_names = {"convolution", "depthwise",     "matrix",      "attention",
                                   "recurrent",   "normalisation", "elementwise", "pooling",
                                   "embedding",   "move",          "optimizer",   "other"};
constexpr std::array rules_names = {"exact", "pagoda"};

template <class Enum, size_t n>
Result<Enum> parse(const std::array<const char*, n>& names, const std::string& what,
                   const std::string& text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  return Error{Code::not_found, fmt::format("there is no {} \"{}\"", what, text),
               fmt::format("known: {}", fmt::join(names, ", "))};
}

// The line through (x0, y0) and (x1, y1). What does not change is kept to the bit.
struct Line {
  double x0, x1, x;

  double operator()(double y0, double y1) const {
    return y0 == y1 ? y0 : std::max(0.0, y0 + (y1 - y0) * (x - x0) / (x1 - x0));
  }
};

Status check_alike(const LayerTable& a, const LayerTable& b) {
  if (a.workload != b.workload || a.phase != b.phase || a.rules != b.rules)
    return Error{Code::invalid_argument,
                 fmt::format("the layers of {} and {} are not of one workload, phase and rules",
                             a.workload, b.workload),
                 ""};
  if (a.batch_size == b.batch_size)
    return Error{
        Code::invalid_argument,
        fmt::format("the layers of {} are known at batch size {} alone", a.workload, a.batch_size),
        "describe it at another batch size, too"};
  const bool alike =
      std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(),
                 [](const Layer& x, const Layer& y) {
                   return x.op == y.op && x.name == y.name && x.shape.size() == y.shape.size();
                 });
  if (!alike)
    return Error{Code::invalid_argument,
                 fmt::format("{} has other layers at batch size {} than at {}", a.workload,
                             b.batch_size, a.batch_size),
                 ""};
  return {};
}

}  // namespace

const char* layer_kind_name(LayerKind kind) {
  return kind_names.at(static_cast<size_t>(kind));
}
Result<LayerKind> parse_layer_kind(const std::string& text) {
  return parse<LayerKind>(kind_names, "kind of layer", text);
}
const char* count_rules_name(CountRules rules) {
  return rules_names.at(static_cast<size_t>(rules));
}
Result<CountRules> parse_count_rules(const std::string& text) {
  return parse<CountRules>(rules_names, "set of counting rules", text);
}

LayerTotals LayerTable::totals() const {
  LayerTotals sum;
  for (const Layer& layer : layers) {
    sum.parameters += layer.parameters;
    sum.flop += layer.flop;
    sum.bytes += layer.bytes;
    sum.kernels += layer.kernels;
    sum.activation_bytes += layer.activation_bytes;
  }
  return sum;
}

Result<LayerTable> at_batch(const LayerTable& a, const LayerTable& b, double batch_size) {
  if (const Status alike = check_alike(a, b); !alike.ok()) return alike.error();
  const Line line{a.batch_size, b.batch_size, batch_size};
  LayerTable table = a;
  table.batch_size = batch_size;
  for (size_t i = 0; i < a.layers.size(); ++i) {
    const Layer &x = a.layers[i], &y = b.layers[i];
    Layer& layer = table.layers[i];
    for (size_t d = 0; d < x.shape.size(); ++d)
      layer.shape[d] =
          std::llround(line(static_cast<double>(x.shape[d]), static_cast<double>(y.shape[d])));
    layer.flop = line(x.flop, y.flop);
    layer.bytes = line(x.bytes, y.bytes);
    layer.kernels = line(x.kernels, y.kernels);
    layer.activation_bytes = line(x.activation_bytes, y.activation_bytes);
  }
  return table;
}

Result<Cost> cost_of(const LayerTable& a, const LayerTable& b) {
  if (const Status alike = check_alike(a, b); !alike.ok()) return alike.error();
  const double step = b.batch_size - a.batch_size;
  const auto line = [&](auto figure, double& fixed, double& sample) {
    double first = 0, second = 0;
    for (const Layer& layer : a.layers) first += figure(layer);
    for (const Layer& layer : b.layers) second += figure(layer);
    sample = (second - first) / step;
    fixed = std::max(0.0, first - sample * a.batch_size);
  };
  const auto is_dense = [](LayerKind kind) {
    return kind == LayerKind::convolution || kind == LayerKind::matrix ||
           kind == LayerKind::attention || kind == LayerKind::recurrent;
  };
  const auto is_depthwise = [](LayerKind kind) { return kind == LayerKind::depthwise; };
  Cost cost;
  line([](const Layer& l) { return l.flop; }, cost.fixed_flop, cost.flop);
  line([](const Layer& l) { return l.bytes; }, cost.fixed_bytes, cost.bytes);
  line([](const Layer& l) { return l.kernels; }, cost.fixed_kernels, cost.kernels);
  line([&](const Layer& l) { return is_dense(l.kind) ? l.flop : 0; }, cost.fixed_dense_flop,
       cost.dense_flop);
  line([&](const Layer& l) { return is_depthwise(l.kind) ? l.flop : 0; }, cost.fixed_depthwise_flop,
       cost.depthwise_flop);
  return cost;
}

}  // namespace flyball
