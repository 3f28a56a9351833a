#include "search/registry.h"

#include <fmt/format.h>

#include "base/text.h"
#include "predict/registry.h"

namespace flyball {

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> list = {
      {"flyball", "constrained Bayesian search on a predictor (the default)", make_flyball, false,
       true, false},
      {"brute-force", "measures everything", make_brute_force, false, false, false},
      {"random", "random modes with all their batch sizes (RND10, RND50)", make_random, true, false,
       true},
      {"maxn", "the mode with everything at its maximum", make_maxn, false, false, true},
      {"binary-search", "halves one axis after the other (BS)", make_binary_search, false, false,
       true},
      {"gmd", "gradient search of AutoCITE/Fulcrum, as published", make_gmd, false, false, true},
      {"nn250", "PowerTrain's network on 250 random profiles, and its best mode (NN250)",
       make_nn250, true, false, true, true},
      {"als", "active learning of the whole front, 50 to 150 profiles (our own procedure)",
       make_als, true, true, false},
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
               "one of: " + join(names, ", ")};
}

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name,
                                                std::shared_ptr<const Problem> problem,
                                                SearchOptions options) {
  FLYBALL_ASSIGN(const StrategyEntry* entry, find_strategy(name));
  FLYBALL_CHECK(validate(*problem));
  if (entry->needs_predictor && !options.make_predictor)
    return Error{Code::internal, fmt::format("strategy '{}' was given no predictor", name), ""};
  if (entry->needs_torch)
    if (const auto network = make_predictor("nn"); !network)
      return network.error().within(fmt::format("strategy '{}'", name));
  return entry->make(std::move(problem), std::move(options));
}

}  // namespace flyball
