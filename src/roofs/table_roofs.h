// Roofs of a board over the tables that were measured on it: what its workloads attain of
// arithmetic and memory in each mode, and what a minibatch takes at least, however small it is.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost/layer_table.h"
#include "roofs/board_roofs.h"
#include "space/table.h"

namespace flyball {

/// T = max(W·τ_flop, Q·τ_mem, τ_launch): launches, and whatever else of a minibatch does not grow
/// with it.
struct TimeBounds {
  double tau_flop = 0, tau_mem = 0,
         tau_launch = 0;  ///< s per FLOP, s per byte, s; 0: binds nothing

  double at(double flop, double bytes) const;  ///< s
};
struct BoundSample {
  double flop = 0, bytes = 0, time_s = 0;
};
/// Least squares of the logarithms, by turns of which bound a sample lies under and how high it is,
/// from several beginnings. A bound that no sample lies under is 0. At least one sample.
TimeBounds fit_time_bounds(std::span<const BoundSample> samples);

/// FLOP and bytes of a minibatch of a workload; nothing where they are not known.
using WorkOf = std::function<std::optional<LayerTotals>(const std::string& workload, Phase phase,
                                                        double batch)>;

struct TableRoofs {
  BoardRoofs roofs;                  ///< modes with four or more samples of unlike intensity
  std::vector<std::string> notes{};  ///< tables and modes that were left out, and why
};
/// Over all tables of one board; repeats as their medians. Rows whose power is doubtful
/// (doubtful_rows()) give no energy, nor do tables of several power totals. The roofs are
/// `simulated` or `predicted` as soon as one of the rows is. Errors: no tables; tables of several
/// boards; no table whose work, and so its batch sizes, is known.
Result<TableRoofs> fit_table_roofs(std::span<const WorkloadTable> tables, const WorkOf& work_of);

}  // namespace flyball
