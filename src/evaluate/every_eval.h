// Every kind of problem over every table of a set: what a strategy is worth, in one figure and by
// kind and table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "evaluate/search_sweep.h"

namespace flyball {

struct EverySweep {
  std::vector<WorkloadTable> tables;  ///< of any boards, trainings and services
  std::vector<std::string> strategies;
  size_t limit = 200;  ///< problems of each kind, drawn, spread over the tables (or pairs)
  std::vector<WorkloadTable> references;
  SearchOptions options;  ///< as SearchSweep has them
  size_t threads = 0;
  /// Called from one thread at a time with problems done and in all.
  std::function<void(size_t done, size_t all)> progress;
};

/// What one strategy did. The distance is SearchRow's excess: percent of time, latency or training
/// lost against the optimum of the table. Figures are NaN where no problem was satisfied.
struct EveryRow {
  std::string strategy;
  std::string kind;    ///< training, inference, concurrent, two-inference, dynamic; "": of all
  std::string tables;  ///< "resnet18 train, mobilenet_v3 infer on orin_agx"; "": of all
  size_t solvable = 0;
  size_t satisfied = 0;  ///< answered, with every limit kept by the table's own figures
  size_t failed = 0;     ///< searches that broke off, not satisfied
  double median_distance_pct = 0, mean_distance_pct = 0;
  double mean_profiles = 0, max_profiles = 0;  ///< over the solvable problems

  double satisfied_pct() const;
};

/// Searches, or problems that could not be posed, that ended in one error.
struct EveryFailure {
  std::string strategy;  ///< "": the problems could not be posed to any
  std::string kind, tables;
  size_t count = 0;  ///< of searches, or problems
  Error error;

  /// "3 searches of gmd broke off (training problems of …): …".
  std::string text() const;
};

struct EveryEvaluation {
  size_t tables = 0, configurations = 0;  ///< of them, rows
  size_t problems = 0, solvable = 0;      ///< drawn; solved by some configuration of the tables
  size_t unposed = 0;                     ///< of the problems: over tables that cannot be searched
  std::vector<EveryRow> rows;  ///< by strategy: of all, then of each kind, then by tables
  std::vector<EveryFailure> failures;
};

/// A concurrent or dynamic problem pairs each training with each service of one board, two
/// inferences each two services. Errors: unknown strategies, one named twice; no problem can be
/// solved; every search broke off, and why the first did.
Result<EveryEvaluation> evaluate_every(const EverySweep& sweep);

Json to_json(const EveryEvaluation& evaluation);

}  // namespace flyball
