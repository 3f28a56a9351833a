#include "fleet/latest_conditions.h"

#include <utility>

#include "compare/compared_network.h"
#include "space/board_fingerprint.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

// Numbers that rows of one name share.
template <typename Name>
Status number_rows(Database& database, const std::string& sql, std::map<int64_t, size_t>& numbers,
                   Name name_of) {
  std::map<std::pair<std::string, std::string>, size_t> names;
  return database.run(sql, {}, [&](const Row& row) {
    numbers[row.integer(0)] = names.try_emplace(name_of(row), names.size()).first->second;
    return Status();
  });
}

}  // namespace

int64_t place_of(const std::map<int64_t, int64_t>& places, int64_t store_id) {
  const auto place = places.find(store_id);
  return place == places.end() ? 0 : place->second;
}

Result<LatestConditions> LatestConditions::read(Database& database,
                                                const std::map<int64_t, int64_t>& places) {
  LatestConditions read;
  FLYBALL_CHECK(number_rows(database, "SELECT id, device, fingerprint FROM boards", read.devices_,
                            [](const Row& row) {
                              return std::pair{row.text(1), individual_of(row.text(2))};
                            }));
  FLYBALL_CHECK(number_rows(database, "SELECT id, workload, phase FROM jobs", read.networks_,
                            [](const Row& row) {
                              return std::pair{canonical_network(row.text(1)), row.text(2)};
                            }));
  const std::string sql = std::string(
                              "SELECT COALESCE(store_id, 0), board_id, job_id, "
                              "COALESCE(condition_id, 0), MAX(started_utc), MAX(id) FROM "
                              "measurements WHERE origin NOT IN ('table', 'imported') AND ") +
                          counted_rows_sql + " GROUP BY 1, 2, 3, 4";
  FLYBALL_CHECK(database.run(sql, {}, [&](const Row& row) {
    const int64_t board_id = row.integer(1);
    Latest& latest = read.latest_[{place_of(places, row.integer(0)), read.devices_[board_id],
                                   read.networks_[row.integer(2)]}];
    Latest one{row.text(4), row.integer(5), board_id, row.integer(3)};
    if (latest.id == 0 ||
        std::tie(one.started_utc, one.id) > std::tie(latest.started_utc, latest.id))
      latest = std::move(one);
    return Status();
  }));
  return read;
}

const LatestConditions::Latest* LatestConditions::find(const BoardRow& board,
                                                       int64_t job_id) const {
  const auto device = devices_.find(board.board_id);
  const auto network = networks_.find(job_id);
  if (device == devices_.end() || network == networks_.end()) return nullptr;
  const auto latest = latest_.find({board.place, device->second, network->second});
  return latest == latest_.end() ? nullptr : &latest->second;
}

bool LatestConditions::are(const BoardRow& board, int64_t job_id, int64_t condition_id) const {
  const Latest* latest = find(board, job_id);
  return !latest || (latest->board_id == board.board_id && latest->condition_id == condition_id);
}

}  // namespace flyball
