#include "fleet/trial_groups.h"

#include <algorithm>
#include <cmath>
#include <tuple>

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

bool same(const TrialBoard& a, const TrialBoard& b) {
  return a.board_id == b.board_id && a.place == b.place;
}

// Sums, until the group is whole.
void add(std::vector<TrialBoard>& boards, const TrialBoard& more) {
  if (boards.empty() || !same(boards.back(), more)) return boards.push_back(more);
  TrialBoard& last = boards.back();
  last.readings += more.readings;
  last.powers += more.powers;
  last.ms += more.ms;
  last.power_w += more.power_w;
}

// Stores of one board are not neighbours among the rows.
void close(TrialGroup& group) {
  std::ranges::sort(group.boards, [](const TrialBoard& a, const TrialBoard& b) {
    return std::tie(a.board_id, a.place) < std::tie(b.board_id, b.place);
  });
  std::vector<TrialBoard> boards;
  for (const TrialBoard& one : group.boards) add(boards, one);
  for (TrialBoard& one : boards) {
    one.ms /= static_cast<double>(one.readings);
    if (one.powers > 0) one.power_w /= static_cast<double>(one.powers);
  }
  group.boards = std::move(boards);
}

}  // namespace

const char* fleet_trials_sql() {
  return trials_sql;
}

Status each_trial_group(Database& database, const std::map<int64_t, int64_t>& places,
                        const std::function<void(const TrialGroup&)>& on_group) {
  TrialGroup group;
  const auto hand_over = [&] {
    if (group.boards.empty()) return;
    close(group);
    on_group(group);
    group.boards.clear();
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
    TrialBoard one{.board_id = row.integer(4),
                   .place = place == places.end() ? 0 : place->second,
                   .readings = 1,
                   .ms = row.real(6)};
    if (const double power = row.real(7); std::isfinite(power)) {
      one.powers = 1;
      one.power_w = power;
    }
    add(group.boards, one);
    return Status();
  }));
  hand_over();
  return {};
}

}  // namespace flyball
