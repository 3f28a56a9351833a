// Findings of studies and what became of them, for people.
#pragma once

#include <string>

#include "findings/judged_findings.h"

namespace flyball::cli {

/// `all`: figures that hold as well. Ends with a line end.
std::string findings_text(const FindingsAnswer& answer, bool all);

}  // namespace flyball::cli
