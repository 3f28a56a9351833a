// A power mode as a POWER_MODEL block for /etc/nvpmodel.conf, with the argument names of JetPack 4
// and 5 (one per cluster). Written after published configurations, not verified on a board: the
// names must be among the PARAM lines of the board's own file.
#pragma once

#include <string>

#include "base/status.h"
#include "space/axis.h"

namespace flyball {

/// How a Jetson names its CPU clusters and where its cores are.
struct NvpmodelBoard {
  std::string cpu_param;  ///< "CPU_A78_", followed by the cluster's number
  int cores = 0;          ///< cores that the board has
  int cores_per_cluster = 0;
};

/// The names of a Jetson by Flyball's device name (orin_agx, orin_nx, orin_nano, xavier_agx,
/// xavier_nx, nano); not_found for others.
Result<NvpmodelBoard> nvpmodel_board(const std::string& device);

/// The block, clocks pinned (minimum = maximum), ending with a line end. Axes that the mode does
/// not set are left out; an axis that nvpmodel has no name for is an error, and so are more cores
/// than the board has. `id` and `name` must be free in the configuration it is added to.
Result<std::string> export_nvpmodel(const PowerMode& mode, const NvpmodelBoard& board, int id,
                                    const std::string& name);

}  // namespace flyball
