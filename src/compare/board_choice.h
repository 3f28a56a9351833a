// Which of the compared boards keeps every limit with every network, and is best of those that do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/compared_board.h"
#include "compare/prices.h"

namespace flyball {

/// What is to be small of an epoch: its time, its energy or its price.
enum class BoardObjective { time, energy, price };
const char* board_objective_name(BoardObjective objective);
Result<BoardObjective> parse_board_objective(const std::string& text);
/// A value of it with its unit: "2 min 57 s", "7047 J", "0.003 USD".
std::string objective_text(BoardObjective objective, double value, const std::string& currency);

/// Of an epoch of each network, and what the board itself may cost; what is left open does not
/// count.
struct BoardLimits {
  std::optional<double> deadline_s{}, power_w{}, energy_j{};
  std::optional<Money> epoch_price{}, board_price{};

  bool any() const;
  /// "epoch ≤ 1800 s, power ≤ 60 W".
  std::string text() const;
};

struct BoardChoice {
  std::optional<size_t> board;  ///< nothing: none keeps every limit
  double value = 0;             ///< geometric mean over the networks: s, J, or the list's currency
  /// Of each board, by what it misses each limit (with the network that misses it by most), what it
  /// cannot run and what is not known of it; empty where it may be chosen.
  std::vector<std::vector<std::string>> misses;
};

/// The price of an epoch; nothing where no price or no energy is known.
std::optional<double> epoch_price(const ComparedBoard& board, const BoardFigures& figures,
                                  const PriceList& prices);

/// `boards` hold figures of these networks, in their order. Errors: a limit in another currency
/// than the prices.
Result<BoardChoice> choose_board(std::span<const ComparedBoard> boards,
                                 std::span<const ComparedNetwork> networks, const PriceList& prices,
                                 const BoardLimits& limits, BoardObjective objective);

}  // namespace flyball
