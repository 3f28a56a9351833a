#include "twin/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

Affine line(double at_a, double at_b, double a, double b) {
  const double slope = b > a ? (at_b - at_a) / (b - a) : 0;
  return {at_a - slope * a, slope};
}

double outputs(const Layer& layer) {
  double count = layer.shape.empty() ? 0 : 1;
  for (const int64_t size : layer.shape) count *= static_cast<double>(size);
  return count;
}

/// Autograd sums gradients on its own thread, and zeroing one is a plain call.
bool is_plain(const Layer& layer) {
  return layer.op.ends_with("_backward") || layer.op == "accumulate" || layer.op == "zero";
}

bool sound(const Layer& layer) {
  for (const double figure : {layer.parameters, layer.flop, layer.bytes, layer.kernels,
                              layer.activation_bytes, outputs(layer)})
    if (!(figure >= 0) || !std::isfinite(figure)) return false;
  return true;
}

}  // namespace

Result<TwinNetwork> make_twin_network(const std::vector<LayerTable>& tables, bool half) {
  if (tables.empty() || tables.front().layers.empty())
    return Error{Code::invalid_argument, "a network without layers cannot be simulated", ""};
  const LayerTable& a = tables.front();
  const LayerTable& b = tables.size() > 1 ? tables[1] : a;
  // Any figure between says whether they belong together.
  if (tables.size() > 1)
    FLYBALL_CHECK([&]() -> Status {
      const auto between = at_batch(a, b, a.batch_size);
      return between.ok() ? Status() : Status(between.error());
    }());
  TwinNetwork network;
  network.phase = a.phase;
  if (tables.size() == 1) network.only_batch = a.batch_size;
  const auto from = [&](double Layer::*figure, size_t i) {
    return line(a.layers[i].*figure, b.layers[i].*figure, a.batch_size, b.batch_size);
  };
  for (size_t i = 0; i < a.layers.size(); ++i) {
    const Layer& layer = a.layers[i];
    if (!sound(layer) || !sound(b.layers[i]))
      return Error{Code::invalid_argument,
                   fmt::format("{}: a figure of layer '{}' is negative or no number", a.workload,
                               layer.name),
                   ""};
    network.operators.push_back(
        {layer.kind, layer.op.ends_with("_backward"), is_plain(layer), from(&Layer::flop, i),
         from(&Layer::bytes, i), from(&Layer::kernels, i),
         line(outputs(layer), outputs(b.layers[i]), a.batch_size, b.batch_size)});
    network.parameters += layer.parameters;
    TwinOperator& op = network.operators.back();
    if (half && layer.kind != LayerKind::optimizer)
      for (Affine* figure : {&op.flop, &op.bytes}) *figure = {figure->a / 2, figure->b / 2};
    const Affine kept = from(&Layer::activation_bytes, i);
    network.activation_bytes.a += half ? kept.a / 2 : kept.a;
    network.activation_bytes.b += half ? kept.b / 2 : kept.b;
    const Affine& moved = op.bytes;
    network.largest_bytes.a = std::max(network.largest_bytes.a, moved.a);
    network.largest_bytes.b = std::max(network.largest_bytes.b, moved.b);
  }
  return network;
}

}  // namespace flyball
