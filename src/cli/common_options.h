// Options that several commands have: each has its name and its help here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "answers/request.h"
#include "problem/preference.h"
#include "profile/trials/profiler.h"
#include "space/table.h"
#include "store/store.h"

namespace flyball::cli {

/// What --axis, --batch-size and --workers say.
struct AskedAxes {
  std::vector<std::string> texts;  ///< as space/axis_choice.h reads them
  std::set<std::string> of_files;  ///< the axes of those that are a configuration file's defaults
};

CLI::Option* add_seed(CLI::App& command, uint64_t& seed,
                      const std::string& help = "Seed of the random number generator");
void add_quiet(CLI::App& command, bool& quiet);
CLI::Option* add_fresh(CLI::App& command, bool& fresh);
/// `--data`: of networks that run here.
CLI::Option* add_data_option(CLI::App& command, std::string& data);
/// `--prefer`: soon answers, or training beside them.
CLI::Option* add_preference(CLI::App& command, Preference& preference);
/// `--margin` of latency budgets, for the way to the client and back.
CLI::Option* add_margin(CLI::App& command, ClientMargin& margin, const std::string& usual);
/// `--percentile` of requests that are to be in time.
CLI::Option* add_percentile(CLI::App& command, double& percentile, const std::string& help);
/// `--threads` of a computation whose figures do not depend on it.
void add_threads(CLI::App& command, size_t& threads);

/// "auto, gp, …": what `--predictor` takes.
std::string predictor_names();
/// "random, maximin, …": what `--design` takes.
std::string design_names();
std::vector<std::string> design_words();
CLI::Option* add_predictor_option(CLI::App& command, std::string& predictor);
/// The same for several, separated by commas.
void add_predictors_option(CLI::App& command, std::vector<std::string>& predictors);
CLI::Option* add_strategy_option(CLI::App& command, std::string& strategy);
/// Of tables everything is known: where nothing is measured, and neither --profiles nor another
/// option asks for a search (`searches`), all rows are read.
void choose_strategy(Request& request, bool searches, bool live);

/// `--store` and `--no-store` of commands that keep what they find.
struct StoreArguments {
  std::string place;  ///< "": the default one
  bool none = false;

  /// The store, or nothing with `--no-store`.
  Result<std::optional<Store>> open() const;
};
void add_store_options(CLI::App& command, StoreArguments& store,
                       const std::string& none_help = "Keep nothing");
/// `--store` of commands that only look.
void add_store_option(CLI::App& command, std::string& place);

/// `--reference` and `--no-reference`: tables of earlier workloads.
struct ReferenceOptions {
  std::vector<std::string> files;
  bool only_named = false;

  /// Those that are named, and those that the user keeps for this board.
  Result<std::vector<WorkloadTable>> gather(const std::string& device, Accepted accepted) const;
  /// For a search on these profilers: without the tables that they read (gather_references()). A
  /// strategy that knows all of these rows learns nothing of references.
  Result<std::vector<WorkloadTable>> gather(const std::vector<const Profiler*>& profilers,
                                            const std::string& strategy, Accepted accepted) const;
};
CLI::Option* add_reference_option(CLI::App& command, std::vector<std::string>& files);
/// Both; the option that names files is returned.
CLI::Option* add_reference_options(CLI::App& command, ReferenceOptions& references);

}  // namespace flyball::cli
