#include "roofs/bindings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json.h"
#include "base/statistics.h"

namespace flyball {
namespace {

constexpr std::array all = {Binding::compute, Binding::memory, Binding::launch, Binding::loader};

/// Seconds under each of the roofs that bind a layer, as `all`.
std::array<double, 3> seconds_under(const ModeRoofs& roofs, double flop, double bytes,
                                    double launches_s) {
  return {roofs.flop_per_s > 0 ? flop / roofs.flop_per_s : 0,
          roofs.bytes_per_s > 0 ? bytes / roofs.bytes_per_s : 0, launches_s};
}

BoundLayer bind(const Layer& layer, const ModeRoofs& roofs, double launch_s) {
  const auto terms = seconds_under(roofs, layer.flop, layer.bytes, layer.kernels * launch_s);
  const auto highest = std::ranges::max_element(terms);
  return {layer, *highest, not_known, all[static_cast<size_t>(highest - terms.begin())]};
}

double energy_of(const BoundLayer& bound, const EnergyConstants& energy) {
  return bound.layer.flop * energy.eps_flop.value + bound.layer.bytes * energy.eps_mem.value +
         bound.time_s * energy.pi0.value;
}

double sum_of_layers(const BoundWorkload& bound) {
  double sum = 0;
  for (const BoundLayer& layer : bound.layers) sum += layer.time_s;
  return sum;
}

Json shares_json(const BoundWorkload& bound) {
  Json shares = Json::object();
  double sum = 0;
  for (const Binding binding : all) {
    shares[binding_name(binding)] = bound.share(binding);
    sum += bound.share(binding);
  }
  shares["unexplained"] = std::max(0.0, 1 - sum);
  return shares;
}

}  // namespace

const char* binding_name(Binding binding) {
  switch (binding) {
    case Binding::compute:
      return "compute";
    case Binding::memory:
      return "memory";
    case Binding::launch:
      return "launch";
    case Binding::loader:
      return "loader";
  }
  return "";
}

double BoundWorkload::share(Binding binding) const {
  const double whole = std::isfinite(measured_s) ? std::max(measured_s, roof_s) : roof_s;
  if (!(whole > 0)) return 0;
  if (binding == Binding::loader) return std::isfinite(stall_s) ? stall_s / whole : 0;
  double sum = 0;
  for (const BoundLayer& layer : layers) sum += layer.binds == binding ? layer.time_s : 0;
  return sum / whole;
}

BoundWorkload bind_layers(const LayerTable& table, const ModeRoofs& roofs, Provenance provenance) {
  BoundWorkload bound{.workload = table.workload,
                      .phase = table.phase,
                      .batch_size = table.batch_size,
                      .mode = roofs.mode,
                      .rules = table.rules,
                      .totals = table.totals(),
                      .layers = {},
                      .measured_s = not_known,
                      .stall_s = not_known,
                      .power_w = not_known};
  // Roofs of a table are fitted to whole minibatches, by their totals: that is what its layers
  // share, and its least time is that of all kernels together.
  const LayerTotals& totals = bound.totals;
  const bool whole = provenance != Provenance::measured;
  const double kernels = whole ? totals.kernels : 1;
  const double launch_s = kernels > 0 ? roofs.launch_s / kernels : 0;
  for (const Layer& layer : table.layers) bound.layers.push_back(bind(layer, roofs, launch_s));
  const double sum = sum_of_layers(bound);
  bound.roof_s =
      whole ? std::ranges::max(seconds_under(roofs, totals.flop, totals.bytes, roofs.launch_s))
            : sum;
  for (BoundLayer& layer : bound.layers) {
    if (sum > 0) layer.time_s *= bound.roof_s / sum;
    if (roofs.energy) layer.energy_j = energy_of(layer, *roofs.energy);
    bound.energy_j += layer.energy_j;
  }
  std::ranges::stable_sort(bound.layers, std::ranges::greater(), &BoundLayer::time_s);
  return bound;
}

Json bound_json(const BoundWorkload& bound) {
  Json layers = Json::array();
  for (const BoundLayer& layer : bound.layers)
    layers.push_back({{"name", layer.layer.name},
                      {"op", layer.layer.op},
                      {"flop", layer.layer.flop},
                      {"bytes", layer.layer.bytes},
                      {"kernels", layer.layer.kernels},
                      {"roof_ms", 1e3 * layer.time_s},
                      {"share", bound.roof_s > 0 ? layer.time_s / bound.roof_s : 0},
                      {"binds", binding_name(layer.binds)}});
  const bool known = std::isfinite(bound.measured_s);
  return {{"workload", bound.workload},
          {"phase", phase_name(bound.phase)},
          {"batch_size", bound.batch_size},
          {"rules", count_rules_name(bound.rules)},
          {"mode", bound.mode.values.empty() ? Json::object() : Json(bound.mode.values)},
          {"flop", bound.totals.flop},
          {"bytes", bound.totals.bytes},
          {"kernels", bound.totals.kernels},
          {"intensity", bound.totals.intensity()},
          {"roof_ms", 1e3 * bound.roof_s},
          {"roof_j", or_null(bound.energy_j)},
          {"minibatch_ms", or_null(1e3 * bound.measured_s)},
          {"power_w", or_null(bound.power_w)},
          {"doubted", bound.doubted},
          {"of_roof_pct",
           known && bound.measured_s > 0 ? Json(100 * bound.roof_s / bound.measured_s) : Json()},
          {"shares", shares_json(bound)},
          {"layers", layers}};
}

}  // namespace flyball
