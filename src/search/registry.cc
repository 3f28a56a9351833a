#include "search/registry.h"

#include <fmt/format.h>

#include "base/text.h"
#include "predictors/registry.h"

namespace flyball {

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> list = {
      {.name = "flyball",
       .summary = "constrained Bayesian search on a predictor (the default)",
       .make = make_flyball,
       .needs_predictor = true},
      {.name = "exact",
       .summary = "reads every row of a table (the default there)",
       .make = make_exact,
       .all_known = true},
      {.name = "brute-force",
       .summary = "measures everything",
       .make = make_brute_force,
       .exhaustive = true},
      {.name = "random",
       .summary = "random modes with all their batch sizes (RND10, RND50)",
       .make = make_random,
       .random = true,
       .published = true,
       .own_profiles = true},
      {.name = "maxn",
       .summary = "the mode with everything at its maximum",
       .make = make_maxn,
       .published = true,
       .own_profiles = true},
      {.name = "binary-search",
       .summary = "halves one axis after the other (BS)",
       .make = make_binary_search,
       .published = true,
       .own_profiles = true},
      {.name = "gmd",
       .summary = "gradient search of AutoCITE/Fulcrum, as published",
       .make = make_gmd,
       .published = true,
       .own_profiles = true},
      {.name = "nn250",
       .summary = "PowerTrain's network on 250 random profiles, and its best mode (NN250)",
       .make = make_nn250,
       .random = true,
       .published = true,
       .own_profiles = true,
       .needs_torch = true},
      {.name = "als",
       .summary = "active learning of the whole front, 50 to 150 profiles (our own procedure)",
       .make = make_als,
       .random = true,
       .needs_predictor = true,
       .own_profiles = true},
  };
  return list;
}

Result<const StrategyEntry*> find_strategy(const std::string& name) {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return Error{Code::invalid_argument, fmt::format("there is no strategy '{}'", name),
               name_hint(name, names)};
}

bool knows_all(const std::string& strategy) {
  const auto entry = find_strategy(strategy);
  return entry.ok() && (*entry)->all_known;
}

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name,
                                                std::shared_ptr<const Problem> problem,
                                                SearchOptions options) {
  FLYBALL_ASSIGN(const StrategyEntry* entry, find_strategy(name));
  FLYBALL_CHECK(validate(*problem, !entry->all_known));
  if (entry->needs_predictor && !options.make_predictor)
    return Error{Code::internal, fmt::format("strategy '{}' was given no predictor", name), ""};
  if (entry->needs_torch)
    if (const auto network = make_predictor("nn"); !network)
      return network.error().within(fmt::format("strategy '{}'", name));
  return entry->make(std::move(problem), std::move(options));
}

}  // namespace flyball
