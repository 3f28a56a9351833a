#include "fleet/trial_groups.h"

#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/statistics.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

// What a board took, each time it was tried.
struct Read {
  std::vector<double> ms, power_w;

  void add(const Row& row) {
    ms.push_back(row.real(6));
    if (const double power = row.real(7); std::isfinite(power)) power_w.push_back(power);
  }
  void add(const Read& other) {
    ms.insert(ms.end(), other.ms.begin(), other.ms.end());
    power_w.insert(power_w.end(), other.power_w.begin(), other.power_w.end());
  }
  TrialBoard medians(const BoardRow& board) const {
    return {{board}, ms.size(), power_w.size(), median(ms), power_w.empty() ? 0 : median(power_w)};
  }
};

// Of one board and group. What a search over a table was answered is the row that was imported of
// it, and whoever asked again was answered the same.
struct BoardReadings {
  Read read, answered;
  bool imported = false;

  void add(const Row& row) {
    imported = imported || row.blob(9) == "imported";
    if (row.blob(9) != "table")
      read.add(row);
    else if (answered.ms.empty())
      answered.add(row);
  }
};

// What tables of a kind of board read of one job and mode, in whatever part of the table and
// wherever it was asked: device, total, time and power.
using TableReading = std::tuple<std::string, std::string, double, double>;

class GroupReader {
 public:
  GroupReader(const std::map<int64_t, int64_t>& places, const LatestConditions& latest,
              std::map<int64_t, std::string> devices,
              const std::function<void(const TrialGroup&)>& on_group)
      : places_(places), latest_(latest), devices_(std::move(devices)), on_group_(on_group) {}

  void take(const Row& row) {
    if (!is_of_group(row)) {
      hand_over();
      // A table's answers are groups of their own where its rows were measured.
      if (group_.job_id != row.integer(0) || group_.mode != row.blob(1)) tables_.clear();
      group_ = {row.integer(0), row.text(1), row.text(2), row.text(3), {}};
    }
    const BoardRow board{place_of(places_, row.is_null(5) ? 0 : row.integer(5)), row.integer(4)};
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
    for (const auto& [board, of] : readings_)
      if (of.imported) tables_.insert(reading_of(of.read.medians(board)));
    for (auto& [board, of] : readings_) {
      if (!of.answered.ms.empty() && is_news(board, of)) of.read.add(of.answered);
      if (!of.read.ms.empty()) group_.boards.push_back(of.read.medians(board));
    }
    if (!group_.boards.empty()) on_group_(group_);
    readings_.clear();
  }
  // Of a table that was not imported, and no other search was answered it?
  bool is_news(const BoardRow& board, const BoardReadings& of) {
    return !of.imported && tables_.insert(reading_of(of.answered.medians(board))).second;
  }
  TableReading reading_of(const TrialBoard& one) const {
    const auto device = devices_.find(one.board_id);
    return {device == devices_.end() ? "" : device->second, group_.power_total, one.ms,
            one.power_w};
  }

  const std::map<int64_t, int64_t>& places_;
  const LatestConditions& latest_;
  const std::map<int64_t, std::string> devices_;  ///< by row of `boards`
  const std::function<void(const TrialGroup&)>& on_group_;
  TrialGroup group_;
  std::map<BoardRow, BoardReadings> readings_;
  std::set<TableReading> tables_;  ///< of the job and mode of the group
  size_t other_conditions_ = 0;
};

}  // namespace

// The index trials_by_known_mode of PostgreSQL (store/postgres_schema.cc) has these columns, the
// first six in this order, of these rows.
std::string fleet_trials_sql() {
  return std::string(
             "SELECT job_id, mode, provenance, COALESCE(power_total, ''), board_id, store_id, "
             "minibatch_ms, power_w, condition_id, origin FROM measurements WHERE ") +
         counted_rows_sql +
         " ORDER BY job_id, mode, provenance, COALESCE(power_total, ''), board_id, store_id";
}

Result<size_t> each_trial_group(Database& database, const std::map<int64_t, int64_t>& places,
                                const std::function<void(const TrialGroup&)>& on_group) {
  FLYBALL_ASSIGN(const LatestConditions latest, LatestConditions::read(database, places));
  std::map<int64_t, std::string> devices;
  FLYBALL_CHECK(database.run("SELECT id, device FROM boards", {}, [&](const Row& row) {
    devices[row.integer(0)] = row.text(1);
    return Status();
  }));
  GroupReader reader(places, latest, std::move(devices), on_group);
  FLYBALL_CHECK(database.run(fleet_trials_sql(), {}, [&](const Row& row) {
    reader.take(row);
    return Status();
  }));
  return reader.finish();
}

}  // namespace flyball
