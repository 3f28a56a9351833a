// Figures of the table of all modes of a simulated board: what prediction, search and the modes
// themselves come to there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "device/registry/board.h"
#include "findings/published_study.h"
#include "space/table.h"

namespace flyball {

/// Tables are drawn once each, in the modes of the papers' grid as near as the board lists them, or
/// in 180 modes where those are fewer.
class TableFigures {
 public:
  /// Errors: networks that the twin does not know, boards without one, what the evaluation says.
  Result<double> figure(const Board& board, const TableQuestion& question);

 private:
  Result<const WorkloadTable*> table(const Board& board, const std::string& workload, Phase phase);
  Result<double> prediction(const Board& board, const TableQuestion& question);
  Result<double> search(const Board& board, const TableQuestion& question);
  Result<double> energy(const Board& board, const TableQuestion& question);

  std::map<std::tuple<std::string, std::string, Phase>, WorkloadTable> tables_;
};

}  // namespace flyball
