// Which boards a fleet has: "twin:orin_nano=4" on the command line, or a CSV file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"

namespace flyball {

struct FleetEntry {
  std::string board;  ///< as `--board` names it: "twin:orin_nano", "table:FILE", "orin_agx"
  size_t boards = 1;
  std::optional<double> idle_w{};

  bool operator==(const FleetEntry&) const = default;
};
inline constexpr size_t most_fleet_boards = 10'000'000;

/// "twin:orin_nano=4"; without a number one board. Error: a count that is no whole number from 1 to
/// most_fleet_boards.
Result<FleetEntry> parse_fleet_entry(std::string_view text);
/// Columns board and boards, and where wanted idle_w (W of a board that computes nothing; empty: as
/// simulated). Errors name file, line and column.
Result<std::vector<FleetEntry>> parse_fleet(const Csv& csv);
Result<std::vector<FleetEntry>> read_fleet(const std::filesystem::path& file);

}  // namespace flyball
