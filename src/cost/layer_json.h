// Layer tables as documents of `--json`, and back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cost/layer_table.h"

namespace flyball {

/// `workload`, `phase`, `batch_size`, `rules`, totals (`parameters`, `flop`, `bytes`, `kernels`,
/// `activation_bytes`, `intensity`) and `layers`.
nlohmann::ordered_json layer_table_json(const LayerTable& table);
/// Errors name what is missing, of another type, negative or not finite.
Result<LayerTable> read_layer_table(const nlohmann::ordered_json& document);

}  // namespace flyball
