// How much equal trials differ: over time on one board, between software versions on one board, and
// between boards of one kind (E4 of POMACS 6(3), section 5.4).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "store/store.h"

namespace flyball {

/// A row as every store knows it that it was collected into.
struct RowSource {
  std::string store;  ///< identity of that in which it was measured
  int64_t row = 0;    ///< its number there
  auto operator<=>(const RowSource&) const = default;
};

/// What one board measured, or, of a store that others were collected into, several.
struct BoardRecord {
  std::string name;  ///< of the store
  std::vector<StoredMeasurement> measurements;
  std::string store{};                     ///< its identity; "": not known
  std::map<int64_t, RowSource> sources{};  ///< of the rows that were collected into it
  size_t not_measured = 0;                 ///< trials that are simulated, or of a table: not here
};
/// All that was measured live. `place`: of the store, as it was named.
Result<BoardRecord> board_record(Store& store, const std::filesystem::path& place);

/// Coefficients of variation (standard deviation / mean, a fraction) of several trials.
struct Variation {
  size_t trials = 0;
  double median = 0, max = 0;
};

/// Trials of one workload that more than one board, version or reading has.
struct SpreadGroup {
  std::string device, workload, phase;
  std::string board;                 ///< its name; "" between boards
  std::string software;              ///< "" between versions
  std::vector<std::string> members;  ///< names of boards, or versions
  Variation time;                    ///< of the minibatch
  std::optional<Variation> energy;   ///< of the minibatch; nothing without power
};

struct BoardSpread {
  std::vector<SpreadGroup> between_boards, between_software, over_time;
};

/// Only live trials that count (store/stored_trials.h) do so here. Boards are compared where board
/// kind, trial, conditions, power total and software (fingerprint of the board and version of the
/// libraries) are equal; of several readings of one trial the median counts there. A row that
/// several stores have counts once, and a store is the board that others know it as.
BoardSpread spread_of_boards(const std::vector<BoardRecord>& boards);

Json to_json(const BoardSpread& spread);

}  // namespace flyball
