// The roofline as a tuner: the modes that roofs name as the best ones for a network, against the
// best of its table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "cost/layer_table.h"
#include "roofs/energy_cases.h"

namespace flyball {

struct RoofChoice {
  size_t modes = 0;                         ///< of the case that have roofs
  ModeFigures fastest{};                    ///< least time by the roofs, as it was measured
  std::optional<ModeFigures> thriftiest{};  ///< least energy likewise; nothing: no energy roofs
  double time_excess = 0;                   ///< of `fastest` over the fastest mode, a fraction
  double energy_excess = 0;                 ///< of `thriftiest` over the mode of least energy
};

/// By these roofs, fitted over tables. Nothing where the network's layers are not known, or less
/// than two modes of the case have roofs.
std::optional<RoofChoice> roof_choice(const EnergyCase& one, const BoardRoofs& roofs,
                                      CountRules rules);
/// `null` for nothing.
Json roof_choice_json(const std::optional<RoofChoice>& choice);

/// How far off the choices of the sound cases are, in words; "" where there are none.
std::string tuner_verdict(std::span<const EnergyCase> cases,
                          std::span<const std::optional<RoofChoice>> choices);

}  // namespace flyball
