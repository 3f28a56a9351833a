#include "fleet/trial_groups.h"

#include <cmath>
#include <utility>

#include "base/statistics.h"

namespace flyball {
namespace {

// The index measurements_by_trial of PostgreSQL (store/postgres_schema.cc) has these columns in
// this order, of these rows.
constexpr const char* trials_sql =
    "SELECT job_id, mode, provenance, power_total, board_id, store_id, minibatch_ms, power_w "
    "FROM measurements WHERE failure = '' AND disturbed_by = '' AND NOT throttled AND "
    "minibatch_ms > 0 "
    "ORDER BY job_id, mode, provenance, power_total, board_id, store_id";

bool is_of(const TrialGroup& group, const Row& row) {
  return group.job_id == row.integer(0) && group.mode == row.blob(1) &&
         group.provenance == row.blob(2) && group.power_total == row.blob(3);
}

/// By board_id and place: stores of one board are not neighbours among the rows.
struct Read {
  std::vector<double> ms, power_w;
};
using BoardReadings = std::map<std::pair<int64_t, int64_t>, Read>;

std::vector<TrialBoard> medians(const BoardReadings& readings) {
  std::vector<TrialBoard> boards;
  for (const auto& [board, read] : readings)
    boards.push_back({.board_id = board.first,
                      .place = board.second,
                      .readings = read.ms.size(),
                      .powers = read.power_w.size(),
                      .ms = median(read.ms),
                      .power_w = read.power_w.empty() ? 0 : median(read.power_w)});
  return boards;
}

}  // namespace

const char* fleet_trials_sql() {
  return trials_sql;
}

Status each_trial_group(Database& database, const std::map<int64_t, int64_t>& places,
                        const std::function<void(const TrialGroup&)>& on_group) {
  TrialGroup group;
  BoardReadings readings;
  const auto hand_over = [&] {
    if (readings.empty()) return;
    group.boards = medians(readings);
    on_group(group);
    readings.clear();
  };
  FLYBALL_CHECK(database.run(trials_sql, {}, [&](const Row& row) {
    if (!is_of(group, row)) {
      hand_over();
      group.job_id = row.integer(0);
      group.mode = row.blob(1);
      group.provenance = row.blob(2);
      group.power_total = row.blob(3);
    }
    const auto place = places.find(row.is_null(5) ? 0 : row.integer(5));
    Read& read = readings[{row.integer(4), place == places.end() ? 0 : place->second}];
    read.ms.push_back(row.real(6));
    if (const double power = row.real(7); std::isfinite(power)) read.power_w.push_back(power);
    return Status();
  }));
  hand_over();
  return {};
}

}  // namespace flyball
