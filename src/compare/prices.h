// What boards cost, as their makers announced it or as the user says, and what of that an epoch
// costs: compare/prices.toml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

struct Money {
  double amount = 0;
  std::string currency;  ///< three letters: "USD"

  std::string text() const;  ///< "1999 USD"
};
/// "500USD". Errors: no amount of zero or more; no currency.
Result<Money> parse_money(std::string_view text);

struct BoardPrice {
  std::string board;  ///< "orin_agx": as everywhere in Flyball
  Money price;
  std::string date;  ///< "2023-10" or "2024-12-17"
  std::string what;  ///< "developer kit"; "" where it is not said
  std::string source;
};

struct PriceList {
  std::string file;
  std::string currency;            ///< of all prices
  double life_years = 0;           ///< for which a board computes day and night
  double electricity_per_kwh = 0;  ///< in `currency`
  std::vector<BoardPrice> prices;

  /// The latest of the board; null where none is known.
  const BoardPrice* of(const std::string& board) const;
  /// What the board loses while it computes for so long, and the energy of it.
  Money epoch_price(const BoardPrice& board, double seconds, double joules) const;
};

/// Errors name file and line: keys that are missing, unknown or wrong; a second currency.
Result<PriceList> parse_prices(const std::string& text, const std::string& file);
/// Those of the file; of "" those that the program brings along.
Result<PriceList> read_prices(const std::filesystem::path& file);

}  // namespace flyball
