// Layer tables as documents of `--json`, and back.
#pragma once

#include "base/json_fwd.h"
#include "cost/layer_table.h"

namespace flyball {

/// `workload`, `phase`, `batch_size`, `rules`, totals (`parameters`, `flop`, `bytes`, `kernels`,
/// `activation_bytes`, `intensity`) and `layers`.
Json layer_table_json(const LayerTable& table);
/// Errors name what is missing, of another type, negative or not finite.
Result<LayerTable> read_layer_table(const Json& document);

}  // namespace flyball
