#include "store/board_fact.h"

#include <fmt/format.h>

namespace flyball {

const char* board_fact_name(BoardFactKind kind) {
  switch (kind) {
    case BoardFactKind::idle_power:
      return "idle power";
    case BoardFactKind::switch_cost:
      return "switch cost";
    case BoardFactKind::roofs:
      return "roofs";
  }
  return "roofs";
}

Result<BoardFactKind> parse_board_fact(const std::string& text) {
  for (const auto kind :
       {BoardFactKind::idle_power, BoardFactKind::switch_cost, BoardFactKind::roofs})
    if (text == board_fact_name(kind)) return kind;
  return Error{Code::corrupt, fmt::format("'{}' is not a kind of fact about a board", text),
               "one of idle power, switch cost, roofs"};
}

Error damaged_fact(const BoardFact& fact, const std::string& problem) {
  return {Code::corrupt,
          fmt::format("run {} of the store holds no {}: {}", fact.id, board_fact_name(fact.kind),
                      problem),
          fmt::format("`flyball runs delete {}` forgets it", fact.id)};
}

}  // namespace flyball
