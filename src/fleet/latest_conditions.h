// Which trials of a board belong together (of_latest_by_board() of store/stored_trials.h), for
// stores of more rows than memory may hold.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "sql/database.h"

namespace flyball {

/// Of which board a row is.
struct BoardRow {
  int64_t place = 0;     ///< the board itself; 0: of this store itself
  int64_t board_id = 0;  ///< device and software, a row of `boards`
  auto operator<=>(const BoardRow&) const = default;
};

/// `places`: of stores, the board that they are of; 0 of any other.
int64_t place_of(const std::map<int64_t, int64_t>& places, int64_t store_id);

/// Software and conditions of the latest trial that a board itself made of a network. What was read
/// from tables was put together by the user and counts as it is.
class LatestConditions {
 public:
  /// `places`: of stores, the board that they are of.
  static Result<LatestConditions> read(Database& database,
                                       const std::map<int64_t, int64_t>& places);

  /// `condition_id`: as the row has it; 0 where it has none.
  bool are(const BoardRow& board, int64_t job_id, int64_t condition_id) const;

 private:
  struct Latest {
    std::string started_utc;
    int64_t id = 0, board_id = 0, condition_id = 0;
  };
  using Numbers = std::map<int64_t, size_t>;
  using Key = std::tuple<int64_t, size_t, size_t>;  ///< place, device, network

  const Latest* find(const BoardRow& board, int64_t job_id) const;

  Numbers devices_;   ///< by row of `boards`: the same device, whatever its software
  Numbers networks_;  ///< by job: the same network and phase
  std::map<Key, Latest> latest_;
};

}  // namespace flyball
