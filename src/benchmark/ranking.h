// Results of the benchmark beside each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "benchmark/rules.h"

namespace flyball {

enum class RankedBy { time, energy };  ///< to the target

struct RankedRow {
  std::optional<int> rank;  ///< from 1 on; nothing for what was simulated
  std::string board, file, signed_off_by;
  Provenance provenance = Provenance::measured;
  std::optional<int> epochs_to_target;
  std::optional<double> time_to_target_s, epoch_s, energy_to_target_j, mean_w;
  double ratio = 0;  ///< to the best measured one; without one, to the best
};
struct RankedEntry {
  BenchmarkEntry entry;
  std::vector<RankedRow> rows;  ///< the best first
};
/// Over the entries that all measured results have.
struct RankedBoard {
  int rank = 0;
  std::string board, file;
  double ratio = 0;  ///< geometric mean of its ratios
};
struct LeftOut {
  std::string file, entry, why;  ///< entry: id; "" of the whole file
};
struct Ranking {
  RankedBy by = RankedBy::time;
  std::vector<RankedEntry> entries;
  std::vector<std::string> shared;  ///< ids of the entries that `overall` is over
  std::vector<RankedBoard> overall;
  std::vector<LeftOut> left_out;
};

/// What breaks a rule is left out, with why, and so is a result that stands in two files; what was
/// simulated stands among the others without a rank. By energy only power that keeps its rules
/// counts.
Ranking rank_results(const std::vector<CheckedResult>& results, const Benchmark& benchmark,
                     RankedBy by);
Json ranking_json(const Ranking& ranking);

}  // namespace flyball
