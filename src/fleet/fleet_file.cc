#include "fleet/fleet_file.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace flyball {
namespace {

bool is_count(double value) {
  return value >= 1 && value <= static_cast<double>(most_fleet_boards) &&
         value == std::floor(value);
}

std::string count_words() {
  return fmt::format("a whole number from 1 to {}", most_fleet_boards);
}

Result<FleetEntry> entry_of(const Csv& csv, size_t row, size_t board, size_t boards,
                            std::optional<size_t> idle) {
  FleetEntry entry{std::string(trim(csv.rows[row][board]))};
  if (entry.board.empty()) return csv.at(row, board, "is empty", "name a board: twin:orin_nano");
  FLYBALL_ASSIGN(const double count, csv.number(row, boards));
  if (!is_count(count)) return csv.at(row, boards, "is no number of boards", count_words());
  entry.boards = static_cast<size_t>(count);
  if (idle && !trim(csv.rows[row][*idle]).empty()) {
    FLYBALL_ASSIGN(const double watts, csv.number(row, *idle));
    if (watts < 0) return csv.at(row, *idle, "is below 0 W", "");
    entry.idle_w = watts;
  }
  return entry;
}

}  // namespace

Result<FleetEntry> parse_fleet_entry(std::string_view text) {
  FleetEntry entry;
  const size_t at = text.rfind('=');
  entry.board = std::string(trim(text.substr(0, at)));
  if (at != std::string_view::npos) {
    const auto count = parse_integer(text.substr(at + 1));
    if (!count || !is_count(static_cast<double>(*count)))
      return Error{
          Code::invalid_argument,
          fmt::format("--board {}: '{}' is no number of boards", text, text.substr(at + 1)),
          count_words()};
    entry.boards = static_cast<size_t>(*count);
  }
  if (entry.board.empty())
    return Error{Code::invalid_argument, fmt::format("--board {}: no board is named", text),
                 "write --board twin:orin_nano=4"};
  return entry;
}

Result<std::vector<FleetEntry>> parse_fleet(const Csv& csv) {
  FLYBALL_CHECK(csv.check_columns({"board", "boards"}, {"idle_w"}, "a fleet has"));
  const size_t board = *csv.column("board"), boards = *csv.column("boards");
  std::vector<FleetEntry> entries;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    FLYBALL_ASSIGN(FleetEntry entry, entry_of(csv, row, board, boards, csv.column("idle_w")));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<FleetEntry>> read_fleet(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const Csv csv, read_csv(file));
  return parse_fleet(csv);
}

}  // namespace flyball
