// The answer of a tune as the stable document of `--json` (docs/json.md lists every key).
#pragma once

#include "answers/tune_result.h"
#include "base/json.h"

namespace flyball {

/// Numbers that are not known are null; axis values are plain numbers by axis name.
Json to_json(const TuneResult& result);

}  // namespace flyball
