#include "fleet/collected_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "fleet/fleet_trials.h"
#include "fleet/trial_groups.h"
#include "space/board_fingerprint.h"
#include "sql/process.h"
#include "telemetry/sampling/time_stamp.h"

namespace flyball {
namespace {

// Stores that were collected as one board's (--board) are one board, which has the least of their
// numbers.
constexpr const char* places_sql = R"sql(
WITH places AS (
  SELECT id AS store_id, MIN(id) OVER (
    PARTITION BY own, CASE WHEN board = '' THEN store ELSE board END) AS place
  FROM stores)
)sql";

size_t count(const Row& row, int column) {
  return static_cast<size_t>(std::max<int64_t>(row.integer(column), 0));
}

class FleetReader {
 public:
  FleetReader(Database& database, CollectedFleet& fleet) : database_(database), fleet_(fleet) {}

  Status read() {
    FLYBALL_CHECK(read_boards());
    FLYBALL_CHECK(read_health());
    FLYBALL_CHECK(read_trials());
    finish_boards();
    return {};
  }

 private:
  // Of the store whose number is the first column; rows of this store itself have 0.
  CollectedBoard& board_of(const Row& row) { return boards_[place_of(places_, row.integer(0))]; }

  Status read_boards() {
    FLYBALL_CHECK(
        database_.run(std::string(places_sql) +
                          "SELECT s.id, s.store, s.own, CASE WHEN s.board = '' THEN s.name ELSE "
                          "s.board END, s.flyball, s.collected_utc, p.place FROM stores "
                          "s JOIN places p ON p.store_id = s.id ORDER BY s.id",
                      {}, [&](const Row& row) {
                        const bool own = row.integer(2) != 0;
                        const int64_t place = places_[row.integer(0)] = own ? 0 : row.integer(6);
                        CollectedBoard& board = boards_[place];
                        if (board.store.empty()) board.store = row.text(1);
                        board.name = own ? "this store" : row.text(3);
                        board.flyball = row.text(4);
                        board.collected_utc = std::max(board.collected_utc, row.text(5));
                        return Status();
                      }));
    // Whoever was killed could not say so.
    FLYBALL_CHECK(
        database_.run("SELECT COALESCE(store_id, 0), process FROM runs WHERE state = 'running'", {},
                      [&](const Row& row) {
                        board_of(row).unfinished += !is_running(row.text(1));
                        return Status();
                      }));
    return database_.run(
        "SELECT COALESCE(store_id, 0), COUNT(*), SUM(CASE WHEN state IN ('interrupted', 'failed') "
        "THEN 1 ELSE 0 END), MAX(started_utc), MAX(finished_utc) FROM runs "
        "GROUP BY COALESCE(store_id, 0)",
        {}, [&](const Row& row) {
          CollectedBoard& board = board_of(row);
          board.runs += count(row, 1);
          board.unfinished += count(row, 2);
          board.last_seen_utc = std::max({board.last_seen_utc, row.text(3), row.text(4)});
          fleet_.runs += count(row, 1);
          return Status();
        });
  }

  // The one pass over all measurements besides that of read_trials().
  Status read_health() {
    std::map<int64_t, std::string> kinds;
    FLYBALL_CHECK(
        database_.run("SELECT id, device, fingerprint FROM boards", {}, [&](const Row& row) {
          kinds[row.integer(0)] = row.text(1);
          makes_[row.integer(0)] = {row.text(1), make_of(row.text(2))};
          fingerprints_[row.integer(0)] = row.text(2);
          return Status();
        }));
    struct Software {
      std::set<int64_t> places;
      size_t measurements = 0;
    };
    std::map<FleetMake, Software> software;
    FLYBALL_CHECK(database_.run(
        "SELECT COALESCE(store_id, 0), board_id, COUNT(*), "
        "SUM(CASE WHEN failure <> '' THEN 1 ELSE 0 END), SUM(CASE WHEN throttled THEN 1 ELSE 0 "
        "END), SUM(CASE WHEN disturbed_by <> '' THEN 1 ELSE 0 END), MAX(started_utc), "
        "SUM(CASE WHEN span <> 'minibatch' THEN 1 ELSE 0 END) "
        "FROM measurements GROUP BY COALESCE(store_id, 0), board_id ORDER BY 1, 2",
        {}, [&](const Row& row) {
          CollectedBoard& board = board_of(row);
          const std::string& kind = kinds[row.integer(1)];
          if (std::ranges::find(board.kinds, kind) == board.kinds.end())
            board.kinds.push_back(kind);
          board.measurements += count(row, 2);
          board.failed += count(row, 3);
          board.throttled += count(row, 4);
          board.disturbed += count(row, 5);
          board.last_seen_utc = std::max(board.last_seen_utc, row.text(6));
          fleet_.measurements += count(row, 2);
          fleet_.whole_runs += count(row, 7);
          Software& of = software[makes_[row.integer(1)]];
          const int64_t place = place_of(places_, row.integer(0));
          of.places.insert(place);
          of.measurements += count(row, 2);
          of_place_[place].insert(row.integer(1));
          return Status();
        }));
    for (const auto& [make, of] : software)
      fleet_.software.push_back({make.kind, make.software, of.places.size(), of.measurements});
    std::ranges::stable_sort(fleet_.software,
                             [](const CollectedSoftware& a, const CollectedSoftware& b) {
                               return std::tie(a.kind, b.boards) < std::tie(b.kind, a.boards);
                             });
    return {};
  }

  Status read_trials() {
    std::map<int64_t, FleetJob> jobs;
    FLYBALL_CHECK(
        database_.run("SELECT id, workload, phase, settings FROM jobs", {}, [&](const Row& row) {
          jobs[row.integer(0)] = {row.text(1), row.text(2), row.text(3)};
          return Status();
        }));
    FleetTrials trials(makes_, std::move(jobs), fleet_.question.budgets_w);
    FLYBALL_ASSIGN(
        fleet_.other_conditions,
        each_trial_group(database_, places_, [&](const TrialGroup& group) { trials.take(group); }));
    for (const auto& [place, ratio] : trials.ratios()) {
      CollectedBoard& board = boards_[place];
      board.compared_trials = ratio.trials;
      board.time_ratio = ratio.time / static_cast<double>(ratio.trials);
      if (ratio.powers > 0) board.power_ratio = ratio.power / static_cast<double>(ratio.powers);
    }
    for (const int64_t place : trials.outliers()) boards_[place].outlier = true;
    fleet_.spread = trials.spread([&](const BoardRow& board) { return name_of(board); });
    fleet_.best = trials.best();
    return {};
  }

  // Where one store has several simulated boards of a kind, which of them.
  std::string name_of(const BoardRow& board) {
    const std::string& name = boards_[board.place].name;
    const std::string individual = individual_of(fingerprints_[board.board_id]);
    return of_place_[board.place].size() < 2 || individual.empty()
               ? name
               : fmt::format("{}, {}", name, individual);
  }

  void finish_boards() {
    const auto now = parse_time_stamp(fleet_.question.now_utc);
    for (auto& [id, board] : boards_) {
      if (board.runs + board.measurements == 0) continue;  // it only collects
      const auto seen = parse_time_stamp(board.last_seen_utc);
      if (seen && now) board.age_s = std::max(*now - *seen, 0.0);
      board.stale = !board.age_s || *board.age_s > fleet_.question.stale_s;
      fleet_.boards.push_back(std::move(board));
    }
    std::ranges::sort(fleet_.boards, [](const CollectedBoard& a, const CollectedBoard& b) {
      return std::tie(a.name, a.store) < std::tie(b.name, b.store);
    });
  }

  Database& database_;
  CollectedFleet& fleet_;
  std::map<int64_t, int64_t> places_;  ///< of stores, the board that they are of
  std::map<int64_t, CollectedBoard> boards_;
  std::map<int64_t, FleetMake> makes_;  ///< by row of `boards`, as the next
  std::map<int64_t, std::string> fingerprints_;
  std::map<int64_t, std::set<int64_t>> of_place_;  ///< rows of `boards` that a board has
};

}  // namespace

size_t CollectedFleet::stale() const {
  return static_cast<size_t>(std::ranges::count_if(boards, &CollectedBoard::stale));
}

size_t CollectedFleet::outliers() const {
  return static_cast<size_t>(std::ranges::count_if(boards, &CollectedBoard::outlier));
}

Result<CollectedFleet> collected_fleet(Database& database, const FleetShowQuestion& question) {
  CollectedFleet fleet;
  fleet.store = database.path().string();
  fleet.question = question;
  // All of it as it is at one moment.
  FLYBALL_CHECK(database.run_script(database.kind() == DatabaseKind::sqlite
                                        ? "BEGIN"
                                        : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  const Status read = FleetReader(database, fleet).read();
  static_cast<void>(database.run_script("ROLLBACK"));
  if (!read) return read.error();
  return fleet;
}

}  // namespace flyball
