// What boards take for an epoch of each network: simulated, read from measured tables, or out of
// the store.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "answers/tune_result.h"
#include "compare/compared_network.h"
#include "compare/prices.h"
#include "cost/memory.h"
#include "device/registry/board.h"
#include "store/store.h"

namespace flyball {

struct BoardsQuestion {
  std::vector<ComparedNetwork> networks;
  double batch_size = usual_batch_size, loader_workers = usual_loader_workers;
  double prefetch = usual_prefetch;
  uint64_t seed = 1;
  Accepted accepted{};  ///< of tables and of the store, besides what was measured
};

/// One network on one board.
struct BoardFigures {
  std::string missing{};               ///< why there are none; "" where there are
  std::optional<MemoryNeed> memory{};  ///< of a simulated board
  Settings config{};                   ///< what they are of: the highest mode that is known
  Configuration known{};
  double minibatches = 0;  ///< of an epoch; 0: not known

  bool fits() const { return !memory || memory->fits(); }
  bool has_time() const { return missing.empty(); }
  bool has_power() const { return has_time() && std::isfinite(known.power_w); }
  // NaN where it is not known.
  double epoch_s() const;
  double epoch_j() const;
};

/// Where the figures of a board are from.
enum class BoardSource { twin, table, store };
const char* board_source_name(BoardSource source);

struct ComparedBoard {
  std::string name;   ///< "orin_agx": as everywhere in Flyball
  std::string title;  ///< "Jetson AGX Orin (simulated)"
  BoardSource source = BoardSource::twin;
  std::string individual{};             ///< "board 17" of a simulated one with a number
  std::string power_total{};            ///< of which its power is; "" where that is not told
  std::string power_parts{};            ///< that a simulated total counts, where not all
  std::vector<BoardFigures> figures{};  ///< in the order of the networks
  std::vector<std::string> notes{};

  bool is_of(const ComparedBoard& other) const {  ///< do both have figures of one board?
    return name == other.name && source == other.source && individual == other.individual;
  }
  /// Of one more network's power. One of another total than those before is noted.
  void add_total(const std::string& total);
  /// "module: GPU, memory only"; "" where it is not told.
  std::string power_words() const;
};

/// "Jetson AGX Orin (table)" of "orin_agx".
std::string compared_title(const std::string& board, const char* how);

/// In the highest mode. What does not fit says so. Errors: a network that the twin does not know;
/// settings that it has not.
Result<ComparedBoard> simulated_board_figures(const Board& board, const BoardsQuestion& question);
/// One for each board of a measured table: its row of this batch size that is nearest to the
/// highest mode. Error: rows that do not read.
Result<std::vector<ComparedBoard>> tabled_board_figures(const Board& board,
                                                        const BoardsQuestion& question);
/// All readings of the trial of this batch size that is nearest to the highest mode, under the
/// conditions of the latest. Errors: those of the store; it holds no training on this board.
Result<ComparedBoard> stored_board_figures(Store& store, const std::string& name,
                                           const BoardsQuestion& question);

/// Adds what `other` knows to a board of the same name and source.
void add_figures(ComparedBoard& board, ComparedBoard other);

}  // namespace flyball
