// What binds each layer of a network on a board: the roof under which it takes longest.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "cost/layer_table.h"
#include "roofs/board_roofs.h"

namespace flyball {

enum class Binding { compute, memory, launch, loader };
const char* binding_name(Binding binding);

struct BoundLayer {
  Layer layer;
  double time_s = 0;    ///< max(FLOP / F, bytes / B, kernels · launch); of a table a share by that
  double energy_j = 0;  ///< NaN where the board's energy is not known
  Binding binds = Binding::compute;
};

/// A workload in a mode, by the roofs: the least time that its layers take one after the other; by
/// fitted roofs what was fitted, the time of its totals.
struct BoundWorkload {
  std::string workload;
  Phase phase = Phase::train;
  double batch_size = 1;
  PowerMode mode;
  CountRules rules = CountRules::exact;
  LayerTotals totals;
  std::vector<BoundLayer> layers;  ///< the longest first
  double roof_s = 0;               ///< together
  double energy_j = 0;             ///< NaN where it is not known
  /// Of a minibatch as it was measured in this mode; NaN where nobody did.
  double measured_s = 0, stall_s = 0, power_w = 0;
  bool doubted = false;  ///< its power is a reading to doubt (energy_cases.h)

  /// Of the measured time (with the loader's stall), or of the roof's where there is none: the
  /// share in which this binds; the rest of a measured time is overhead that no roof explains.
  double share(Binding binding) const;
};

/// Roofs of a table are fitted to totals of whole minibatches: the whole is the highest of FLOP /
/// F, bytes / B and `launch_s`, and layers share it as they would take it by themselves.
/// `measured_s`, `stall_s` and `power_w` are NaN.
BoundWorkload bind_layers(const LayerTable& table, const ModeRoofs& roofs, Provenance provenance);
Json bound_json(const BoundWorkload& bound);

}  // namespace flyball
