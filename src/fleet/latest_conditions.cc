#include "fleet/latest_conditions.h"

#include <algorithm>
#include <utility>

#include "store/stored_trials.h"

namespace flyball {

int64_t place_of(const std::map<int64_t, int64_t>& places, int64_t store_id) {
  const auto place = places.find(store_id);
  return place == places.end() ? 0 : place->second;
}

Result<LatestConditions> LatestConditions::read(Database& database,
                                                const std::map<int64_t, int64_t>& places) {
  LatestConditions read;
  FLYBALL_CHECK(database.run("SELECT id, workload, phase FROM jobs", {}, [&](const Row& row) {
    read.subjects_[row.integer(0)] = {row.text(1), row.text(2)};
    return Status();
  }));
  const std::string sql = std::string(
                              "SELECT COALESCE(store_id, 0), board_id, job_id, "
                              "COALESCE(condition_id, 0), MAX(started_utc), MAX(id) FROM "
                              "measurements WHERE origin NOT IN ('table', 'imported') AND ") +
                          counted_rows_sql + " GROUP BY 1, 2, 3, 4";
  FLYBALL_CHECK(database.run(sql, {}, [&](const Row& row) {
    const BoardRow board{place_of(places, row.integer(0)), row.integer(1)};
    Latest& latest = read.latest_[{board, read.subjects_[row.integer(2)]}];
    Latest one{row.text(4), row.integer(5), row.integer(3)};
    if (latest.id == 0 ||
        std::tie(one.started_utc, one.id) > std::tie(latest.started_utc, latest.id))
      latest = std::move(one);
    return Status();
  }));
  return read;
}

bool LatestConditions::are(const BoardRow& board, int64_t job_id, int64_t condition_id) const {
  const auto subject = subjects_.find(job_id);
  if (subject == subjects_.end()) return true;
  const auto latest = latest_.find({board, subject->second});
  return latest == latest_.end() || latest->second.condition_id == condition_id;
}

}  // namespace flyball
