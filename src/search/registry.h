// The one list of strategies. A new one is a file and a line in registry.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace flyball {

struct StrategyEntry {
  std::string name;
  std::string summary;  ///< one line for `--help`
  std::unique_ptr<Strategy> (*make)(std::shared_ptr<const Problem>, SearchOptions);
  bool random = false;           ///< depends on the seed
  bool needs_predictor = false;  ///< uses SearchOptions::make_predictor
  bool published = false;        ///< from the papers: of a concurrent problem it maximises n
  bool own_profiles = false;  ///< takes a number of profiles of its own, unless one was asked for
  bool exhaustive = false;    ///< measures everything, however many profiles were asked for
  bool needs_torch = false;   ///< fits the predictor `nn`
  bool all_known = false;     ///< of tables alone: their rows are SearchOptions::known
};

const std::vector<StrategyEntry>& strategies();
/// The entry of a name; the error lists the names there are.
Result<const StrategyEntry*> find_strategy(const std::string& name);
/// Is everything known before the named strategy begins?
bool knows_all(const std::string& strategy);
/// The named strategy for a problem that validate() accepts; its error otherwise.
Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name,
                                                std::shared_ptr<const Problem> problem,
                                                SearchOptions options);

// Their makers, each in the file of its name.
std::unique_ptr<Strategy> make_brute_force(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_random(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_maxn(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_binary_search(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_gmd(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_nn250(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_als(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_flyball(std::shared_ptr<const Problem>, SearchOptions);
std::unique_ptr<Strategy> make_exact(std::shared_ptr<const Problem>, SearchOptions);

}  // namespace flyball
