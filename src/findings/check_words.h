// What a check is about, in words.
#pragma once

#include <string>

#include "findings/published_study.h"

namespace flyball {

/// "mobilenet_v3 on xavier_agx: stall_s, workers 0 → 1".
std::string check_name(const FindingCheck& check);
/// "stall" of "stall_s".
std::string figure_words(const std::string& figure);
/// "%" of a change and a range, "×" of a ratio, else that of its figure; "" of what is no number.
std::string check_unit(const FindingCheck& check);
/// "mWh" of "energy_mwh"; "" of what has none.
std::string figure_unit(const std::string& figure);

}  // namespace flyball
