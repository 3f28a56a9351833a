// A layer table for people.
#pragma once

#include <string>

#include "cost/layer_table.h"

namespace flyball::cli {

/// Totals, what each kind of operator takes of them, and the largest layers (`all`: every one, in
/// order of execution). `sample`: what one is, "3×224×224"; "" where the file says it.
std::string layer_table_text(const LayerTable& table, bool all, const std::string& sample);

}  // namespace flyball::cli
