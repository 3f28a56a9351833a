// What the evaluations of searches share.
#pragma once

#include <string>
#include <vector>

#include "search/strategy.h"

namespace flyball::cli {

/// The names of lists that are separated by commas. Error: there is no such strategy.
Result<std::vector<std::string>> strategy_names(const std::vector<std::string>& lists);

/// What `flyball` and `als` model with: the named predictor, or the default one. Error: there is
/// none of the name.
Status take_search_predictor(const std::string& named, SearchOptions& options);

}  // namespace flyball::cli
