// The answer of a tune as the stable document of `--json` (docs/json.md lists every key).
#pragma once

#include <nlohmann/json.hpp>

#include "tune/tune.h"

namespace flyball {

/// The request as resolved, without anything that varies between equal requests.
nlohmann::ordered_json request_json(const TuneRequest& request, const ProfilerInfo& profiler);

/// Numbers that are not known are null; axis values are plain numbers by axis name.
nlohmann::ordered_json answer_json(const TuneResult& result);

/// The answer against the default, and the trials of earlier runs: keys that the answer and the
/// report share.
nlohmann::ordered_json comparison_json(const TuneResult& result);
nlohmann::ordered_json reused_json(const TuneResult& result);

/// {"axis", "unit", "asked", "seen_mean", "seen_min"} of each axis that the board showed.
nlohmann::ordered_json clocks_json(const Measurement& measurement);

/// {"asked", "kept", "of", "seed", "notes"}: which modes were chosen among; null where that was not
/// asked.
nlohmann::ordered_json modes_json(const ProfilerInfo& profiler);

}  // namespace flyball
