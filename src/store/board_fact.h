// What was found out about a board beside its trials: idle power of its modes, what a change of
// mode takes, its roofs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "store/run.h"

namespace flyball {

enum class BoardFactKind { idle_power, switch_cost, roofs };
/// "idle power", "switch cost", "roofs": in the store, in lists and in messages.
const char* board_fact_name(BoardFactKind kind);
Result<BoardFactKind> parse_board_fact(const std::string& text);

struct BoardFact {
  BoardFactKind kind = BoardFactKind::idle_power;
  std::string device{}, fingerprint{};  ///< as in Measurement
  std::string json{};                   ///< the document of its kind
  std::string measured_utc{};
  std::string command{};  ///< the command line that measured it, as it was typed
  int64_t id = 0;         ///< in the store, where facts and runs are numbered together

  std::optional<RunOrigin> origin{};  ///< nothing: it was measured in this store
  /// Whose it is, as in StoredMeasurement; "": this store's.
  std::string board() const { return origin ? origin->board : ""; }
};

/// Which facts; what is left open is not asked about.
struct BoardFactFilter {
  std::optional<BoardFactKind> kind{};
  std::optional<int64_t> id{};
};

/// "run 3 of the store holds no idle power: PROBLEM".
Error damaged_fact(const BoardFact& fact, const std::string& problem);

}  // namespace flyball
