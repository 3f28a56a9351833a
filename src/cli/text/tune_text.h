// The answer of a tune for people.
#pragma once

#include <string>

#include "answers/tune_result.h"

namespace flyball::cli {

/// Ends with a line end. `verbose`: with every trial and every remark.
std::string tune_text(const TuneResult& result, bool verbose);

}  // namespace flyball::cli
