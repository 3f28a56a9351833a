// Measured runs of experiments as text, a line of JSON each: what `flyball export` writes of an
// experiment, and what earlier programs kept in OUT/NAME/results.jsonl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment/run_figures.h"

namespace flyball {

std::string run_line(const RunFigures& run);

/// Is a last line without an end, which is not whole, left out, as a kill cuts it off, or an error,
/// as a copy that failed leaves it?
enum class LastLine { may_be_cut, whole };
/// Errors name the text and the line.
Result<std::vector<RunFigures>> parse_run_lines(std::string_view text, const std::string& name,
                                                LastLine last = LastLine::may_be_cut);

}  // namespace flyball
