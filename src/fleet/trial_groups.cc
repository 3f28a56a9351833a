#include "fleet/trial_groups.h"

#include <cmath>
#include <utility>

#include "base/statistics.h"

namespace flyball {
namespace {

// What a board took, each time it was tried.
struct Read {
  std::vector<double> ms, power_w;

  void add(const Row& row) {
    ms.push_back(row.real(6));
    if (const double power = row.real(7); std::isfinite(power)) power_w.push_back(power);
  }
};

// Of one board and group. What a search over a table was answered is the row that was imported of
// it, and whoever asked again was answered the same.
class BoardReadings {
 public:
  void add(const Row& row) {
    const bool answered = row.blob(9) == "table";
    imported_ = imported_ || row.blob(9) == "imported";
    if (!answered)
      read_.add(row);
    else if (answered_.ms.empty())
      answered_.add(row);
  }
  TrialBoard medians(const BoardRow& board) const {
    Read all = read_;
    if (!imported_) {
      all.ms.insert(all.ms.end(), answered_.ms.begin(), answered_.ms.end());
      all.power_w.insert(all.power_w.end(), answered_.power_w.begin(), answered_.power_w.end());
    }
    return {{board},
            all.ms.size(),
            all.power_w.size(),
            median(all.ms),
            all.power_w.empty() ? 0 : median(all.power_w)};
  }

 private:
  Read read_, answered_;
  bool imported_ = false;
};

class GroupReader {
 public:
  GroupReader(const std::map<int64_t, int64_t>& places, const LatestConditions& latest,
              const std::function<void(const TrialGroup&)>& on_group)
      : places_(places), latest_(latest), on_group_(on_group) {}

  void take(const Row& row) {
    if (!is_of_group(row)) {
      hand_over();
      group_ = {row.integer(0), row.text(1), row.text(2), row.text(3), {}};
    }
    const auto place = places_.find(row.is_null(5) ? 0 : row.integer(5));
    const BoardRow board{place == places_.end() ? 0 : place->second, row.integer(4)};
    const bool of_a_table = row.blob(9) == "table" || row.blob(9) == "imported";
    if (of_a_table || latest_.are(board, group_.job_id, row.is_null(8) ? 0 : row.integer(8)))
      readings_[board].add(row);
    else
      ++other_conditions_;
  }

  /// What is left; returns how many trials had other conditions.
  size_t finish() {
    hand_over();
    return other_conditions_;
  }

 private:
  bool is_of_group(const Row& row) const {
    return group_.job_id == row.integer(0) && group_.mode == row.blob(1) &&
           group_.provenance == row.blob(2) && group_.power_total == row.blob(3);
  }
  // Stores of one board are not neighbours among the rows.
  void hand_over() {
    if (readings_.empty()) return;
    for (const auto& [board, read] : readings_) group_.boards.push_back(read.medians(board));
    on_group_(group_);
    readings_.clear();
  }

  const std::map<int64_t, int64_t>& places_;
  const LatestConditions& latest_;
  const std::function<void(const TrialGroup&)>& on_group_;
  TrialGroup group_;
  std::map<BoardRow, BoardReadings> readings_;
  size_t other_conditions_ = 0;
};

}  // namespace

// The index trials_by_mode of PostgreSQL (store/postgres_schema.cc) has these columns, the first
// six in this order, of these rows.
std::string fleet_trials_sql() {
  return std::string(
             "SELECT job_id, mode, provenance, power_total, board_id, store_id, minibatch_ms, "
             "power_w, condition_id, origin FROM measurements WHERE ") +
         counted_rows_sql + " ORDER BY job_id, mode, provenance, power_total, board_id, store_id";
}

Result<size_t> each_trial_group(Database& database, const std::map<int64_t, int64_t>& places,
                                const std::function<void(const TrialGroup&)>& on_group) {
  FLYBALL_ASSIGN(const LatestConditions latest, LatestConditions::read(database, places));
  GroupReader reader(places, latest, on_group);
  FLYBALL_CHECK(database.run(fleet_trials_sql(), {}, [&](const Row& row) {
    reader.take(row);
    return Status();
  }));
  return reader.finish();
}

}  // namespace flyball
