#include "compare/compared_board.h"

#include <fmt/format.h>

#include <limits>

#include "base/distinct.h"
#include "boards/spec.h"

namespace flyball {

double BoardFigures::epoch_s() const {
  if (!has_time() || !(minibatches > 0)) return std::numeric_limits<double>::quiet_NaN();
  return known.minibatch_ms * 1e-3 * minibatches;
}

double BoardFigures::epoch_j() const {
  return epoch_s() * known.power_w;
}

const char* board_source_name(BoardSource source) {
  switch (source) {
    case BoardSource::twin:
      return "twin";
    case BoardSource::table:
      return "table";
    case BoardSource::store:
      return "store";
  }
  return "";
}

void ComparedBoard::add_total(const std::string& total) {
  if (power_total.empty()) power_total = total;
  if (!total.empty() && total != power_total)
    add_distinct(notes, fmt::format("figures of {} are of different power totals: {}, {}", name,
                                    power_total, total));
}

std::string ComparedBoard::power_words() const {
  return power_parts.empty() ? power_total : power_total + ": " + power_parts;
}

std::string compared_title(const std::string& board, const char* how) {
  const BoardSpec* spec = find_board_spec(board);
  return fmt::format("{} ({})", spec ? spec->name : board, how);
}

void add_figures(ComparedBoard& board, ComparedBoard other) {
  bool taken = false;
  for (size_t i = 0; i < board.figures.size(); ++i)
    if (!board.figures[i].has_time() && other.figures[i].has_time()) {
      board.figures[i] = std::move(other.figures[i]);
      taken = true;
    }
  if (taken) board.add_total(other.power_total);
  std::ranges::move(other.notes, std::back_inserter(board.notes));
}

}  // namespace flyball
