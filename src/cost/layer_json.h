// Layer tables as documents of `--json`.
#pragma once

#include "base/json_fwd.h"
#include "cost/layer_table.h"

namespace flyball {

/// `workload`, `phase`, `batch_size`, `rules`, totals (`parameters`, `flop`, `bytes`, `kernels`,
/// `activation_bytes`, `intensity`) and `layers`.
Json layer_table_json(const LayerTable& table);

}  // namespace flyball
