#include "cli/commands/evaluate/searching.h"

#include "base/text.h"
#include "predictors/registry.h"
#include "search/registry.h"

namespace flyball::cli {

Result<std::vector<std::string>> strategy_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (const std::string& name : split(list, ',')) {
      FLYBALL_ASSIGN([[maybe_unused]] const StrategyEntry* entry, find_strategy(name));
      names.push_back(name);
    }
  return names;
}

Status take_search_predictor(const std::string& named, SearchOptions& options) {
  const std::string predictor = !named.empty() ? named : default_predictor();
  FLYBALL_ASSIGN(const auto probe, make_predictor(predictor));
  options.predictor = predictor;
  options.make_predictor = [predictor] { return *make_predictor(predictor); };
  return {};
}

}  // namespace flyball::cli
