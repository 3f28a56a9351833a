// The answer of a tune for people.
#pragma once

#include <string>

#include "answers/tune_result.h"

namespace flyball::cli {

/// Ends with a line end. `verbose`: with every trial and every remark.
std::string tune_text(const TuneResult& result, bool verbose);
/// "66.48 (64.2-68.91)": a figure with its interval, where that is known.
std::string with_spread(double value, double low, double high);

}  // namespace flyball::cli
