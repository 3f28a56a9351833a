// A power mode as a POWER_MODEL block for /etc/nvpmodel.conf, with the argument names of JetPack 4
// and 5 (one per cluster). Written after published configurations, not verified on a board: the
// names must be among the PARAM lines of the board's own file.
#pragma once

#include <string>

#include "base/status.h"
#include "boards/spec.h"
#include "space/axis.h"

namespace flyball {

/// The names of a board by Flyball's device name, as its file of boards/ has them; not_found for
/// others, with those there are.
Result<NvpmodelArguments> nvpmodel_board(const std::string& device);

/// The block, clocks pinned (minimum = maximum), ending with a line end. Axes that the mode does
/// not set are left out; an axis that nvpmodel has no name for is an error, and so are more cores
/// than the board has. `id` and `name` must be free in the configuration it is added to.
Result<std::string> export_nvpmodel(const PowerMode& mode, const NvpmodelArguments& board, int id,
                                    const std::string& name);

}  // namespace flyball
