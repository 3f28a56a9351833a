#include "fleet/collected_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/json.h"
#include "base/statistics.h"
#include "compare/compared_network.h"
#include "fleet/utc.h"

namespace flyball {
namespace {

// Stores that were collected under one name are one board, which has the least of their numbers.
constexpr const char* places_sql = R"sql(
WITH places AS (
  SELECT id AS store_id, MIN(id) OVER (
    PARTITION BY own, CASE WHEN name = '' THEN store ELSE name END) AS place
  FROM stores)
)sql";

// What one board measured of one trial, and of these what all boards measured. One statement for
// SQLite and PostgreSQL; rows of this store itself have no number of a store.
constexpr const char* trials_sql = R"sql(,
own AS (
  SELECT COALESCE(p.place, 0) AS store, m.board_id, m.job_id, m.mode, m.provenance,
    COALESCE(m.power_total, '') AS total, COUNT(*) AS readings, AVG(m.minibatch_ms) AS ms,
    AVG(m.power_w) AS w
  FROM measurements m LEFT JOIN places p ON p.store_id = m.store_id
  WHERE m.failure = '' AND m.disturbed_by = '' AND NOT m.throttled AND m.minibatch_ms > 0
  GROUP BY COALESCE(p.place, 0), m.board_id, m.job_id, m.mode, m.provenance,
    COALESCE(m.power_total, '')),
fleet AS (
  SELECT board_id, job_id, mode, provenance, total, COUNT(*) AS boards, SUM(readings) AS readings,
    AVG(ms) AS ms, AVG(w) AS w, AVG(ms * ms) AS ms2, AVG(ms * w) AS e, AVG(ms * w * ms * w) AS e2,
    COUNT(w) AS powers
  FROM own GROUP BY board_id, job_id, mode, provenance, total)
)sql";

constexpr const char* modes_sql = R"sql(
SELECT b.device, j.workload, j.phase, j.settings, f.mode, f.provenance, f.total, f.boards,
  f.readings, f.ms, f.w, f.ms2, f.e, f.e2, f.powers
FROM fleet f JOIN boards b ON b.id = f.board_id JOIN jobs j ON j.id = f.job_id
ORDER BY b.device, j.workload, j.phase, f.provenance, f.total, j.settings, f.mode
)sql";

constexpr const char* ratios_sql = R"sql(
SELECT o.store, COUNT(*), AVG(o.ms / f.ms), AVG(o.w / f.w)
FROM own o JOIN fleet f ON f.board_id = o.board_id AND f.job_id = o.job_id AND f.mode = o.mode
  AND f.provenance = o.provenance AND f.total = o.total
WHERE f.boards > 1 GROUP BY o.store
)sql";

// The mean square less the square of the mean, of n values as the estimate of a larger set.
double variation(double mean, double mean_square, double n) {
  const double variance = std::max(mean_square - mean * mean, 0.0) * n / (n - 1);
  return mean > 0 ? std::sqrt(variance) / mean : 0;
}

Settings settings_of(const std::string& text) {
  Settings settings;
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object())
    for (const auto& [name, value] : json.items())
      if (value.is_number()) settings[name] = value.get<double>();
  return settings;
}

size_t count(const Row& row, int column) {
  return static_cast<size_t>(std::max<int64_t>(row.integer(column), 0));
}

/// A mode as one row of the statement has it.
struct ModeRow {
  CollectedMode mode;
  double sample_ms = 0;
};

class FleetReader {
 public:
  FleetReader(Database& database, CollectedFleet& fleet) : database_(database), fleet_(fleet) {}

  Status read() {
    FLYBALL_CHECK(read_boards());
    FLYBALL_CHECK(read_health());
    FLYBALL_CHECK(read_modes());
    FLYBALL_CHECK(read_ratios());
    return read_software();
  }

 private:
  using Group = std::tuple<std::string, std::string, std::string, std::string>;  // spread
  using Choice = std::tuple<std::string, std::string, std::string, std::string, std::string>;

  // Of the store whose number is the first column; rows of this store itself have 0.
  CollectedBoard& board_of(const Row& row) {
    const auto found = places_.find(row.integer(0));
    return boards_[found == places_.end() ? 0 : found->second];
  }

  Status read_boards() {
    FLYBALL_CHECK(database_.run(
        std::string(places_sql) +
            "SELECT s.id, s.store, s.own, s.name, s.flyball, s.collected_utc, p.place FROM stores "
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

  Status read_health() {
    std::map<int64_t, std::string> kinds;
    FLYBALL_CHECK(database_.run("SELECT id, device FROM boards", {}, [&](const Row& row) {
      kinds[row.integer(0)] = row.text(1);
      return Status();
    }));
    return database_.run(
        "SELECT COALESCE(store_id, 0), board_id, COUNT(*), "
        "SUM(CASE WHEN failure <> '' THEN 1 ELSE 0 END), SUM(CASE WHEN throttled THEN 1 ELSE 0 "
        "END), SUM(CASE WHEN disturbed_by <> '' THEN 1 ELSE 0 END), MAX(started_utc) "
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
          return Status();
        });
  }

  // Rows come by kind and workload: only the best of each are kept.
  Status read_modes() {
    FLYBALL_CHECK(
        database_.run(std::string(places_sql) + trials_sql + modes_sql, {}, [&](const Row& row) {
          take_spread(row);
          take_mode(row);
          return Status();
        }));
    for (auto& [group, spread] : spreads_) {
      spread.time_cv = median(times_[group]);
      spread.max_time_cv = *std::ranges::max_element(times_[group]);
      if (const auto& energies = energies_[group]; !energies.empty()) {
        spread.energy_cv = median(energies);
        spread.max_energy_cv = *std::ranges::max_element(energies);
      }
      fleet_.spread.push_back(spread);
    }
    for (auto& [choice, best] : best_) {
      for (std::optional<ModeRow>& one : best)
        if (one) fleet_.best.push_back(std::move(one->mode));
    }
    return {};
  }

  void take_spread(const Row& row) {
    const double n = static_cast<double>(row.integer(7));
    if (n < 2) return;
    const Group group(row.text(0), row.text(1), row.text(2), row.text(5));
    CollectedSpread& spread = spreads_[group];
    spread.kind = row.text(0);
    spread.workload = row.text(1);
    spread.phase = row.text(2);
    spread.provenance = row.text(5);
    spread.boards = std::max(spread.boards, count(row, 7));
    ++spread.trials;
    times_[group].push_back(variation(row.real(9), row.real(11), n));
    const double powers = static_cast<double>(row.integer(14));
    if (powers > 1) energies_[group].push_back(variation(row.real(12), row.real(13), powers));
  }

  void take_mode(const Row& row) {
    ModeRow found;
    CollectedMode& mode = found.mode;
    mode.kind = row.text(0);
    mode.workload = row.text(1);
    mode.phase = row.text(2);
    mode.settings = settings_of(row.text(3));
    mode.mode = settings_of(row.text(4));
    mode.provenance = row.text(5);
    mode.power_total = row.text(6);
    mode.boards = count(row, 7);
    mode.measurements = count(row, 8);
    mode.minibatch_ms = row.real(9);
    const auto batch = mode.settings.find("batch_size");
    const double samples = batch == mode.settings.end() ? 1 : std::max(batch->second, 1.0);
    found.sample_ms = mode.minibatch_ms / samples;
    if (!row.is_null(10)) {
      mode.power_w = row.real(10);
      mode.sample_j = *mode.power_w * found.sample_ms / 1000;
    }
    if (mode.phase == "train" && batch != mode.settings.end()) add_epoch(found, samples);
    auto& best =
        best_[Choice(mode.kind, mode.workload, mode.phase, mode.provenance, mode.power_total)];
    const std::vector<double>& budgets = fleet_.question.budgets_w;
    best.resize(budgets.size() + 2);
    keep_faster(best[0], found, {});
    for (size_t i = 0; i < budgets.size(); ++i)
      if (mode.power_w && *mode.power_w <= budgets[i]) keep_faster(best[i + 1], found, budgets[i]);
    std::optional<ModeRow>& least = best.back();
    if (!mode.sample_j || (least && *least->mode.sample_j <= *mode.sample_j)) return;
    least = found;
    least->mode.objective = "energy";
  }

  static void keep_faster(std::optional<ModeRow>& best, const ModeRow& found,
                          std::optional<double> budget) {
    if (best && best->sample_ms <= found.sample_ms) return;
    best = found;
    best->mode.objective = "time";
    best->mode.budget_w = budget;
  }

  static void add_epoch(ModeRow& found, double batch) {
    const ComparedNetwork network = compared_network(found.mode.workload, 0);
    const double minibatches = network.minibatches(batch);
    if (minibatches <= 0) return;
    found.mode.epoch_samples = network.samples;
    found.mode.epoch_s = minibatches * found.mode.minibatch_ms / 1000;
    if (found.mode.power_w) found.mode.epoch_j = *found.mode.epoch_s * *found.mode.power_w;
  }

  Status read_ratios() {
    FLYBALL_CHECK(
        database_.run(std::string(places_sql) + trials_sql + ratios_sql, {}, [&](const Row& row) {
          CollectedBoard& board = boards_[row.integer(0)];
          board.compared_trials = count(row, 1);
          board.time_ratio = row.real(2);
          if (!row.is_null(3)) board.power_ratio = row.real(3);
          return Status();
        }));
    const auto outliers = [&](std::optional<double> CollectedBoard::*ratio) {
      std::vector<double> distances;
      for (const auto& [id, board] : boards_)
        if (board.*ratio) distances.push_back(std::abs(*(board.*ratio) - 1));
      if (distances.size() < 3) return;
      const double usual = median(distances);
      for (auto& [id, board] : boards_)
        if (board.*ratio && std::abs(*(board.*ratio) - 1) > std::max(0.05, 3 * usual))
          board.outlier = true;
    };
    outliers(&CollectedBoard::time_ratio);
    outliers(&CollectedBoard::power_ratio);
    const auto now = seconds_of_utc(fleet_.question.now_utc);
    for (auto& [id, board] : boards_) {
      if (id == 0 && board.runs + board.measurements == 0) continue;  // it only collects
      const auto seen = seconds_of_utc(board.last_seen_utc);
      if (seen && now) board.age_s = std::max(*now - *seen, 0.0);
      board.stale = !board.age_s || *board.age_s > fleet_.question.stale_s;
      fleet_.boards.push_back(std::move(board));
    }
    std::ranges::sort(fleet_.boards, [](const CollectedBoard& a, const CollectedBoard& b) {
      return std::tie(a.name, a.store) < std::tie(b.name, b.store);
    });
    return {};
  }

  Status read_software() {
    return database_.run(
        std::string(places_sql) +
            "SELECT b.device, b.fingerprint, COUNT(*), SUM(t.readings) FROM (SELECT m.board_id, "
            "COALESCE(p.place, 0) AS store, COUNT(*) AS readings FROM measurements m LEFT JOIN "
            "places p ON p.store_id = m.store_id GROUP BY m.board_id, COALESCE(p.place, 0)) t "
            "JOIN boards b ON b.id = t.board_id GROUP BY b.device, b.fingerprint "
            "ORDER BY b.device, COUNT(*) DESC, b.fingerprint",
        {}, [&](const Row& row) {
          fleet_.software.push_back({row.text(0), row.text(1), count(row, 2), count(row, 3)});
          return Status();
        });
  }

  Database& database_;
  CollectedFleet& fleet_;
  std::map<int64_t, int64_t> places_;  ///< of stores, the board that they are of
  std::map<int64_t, CollectedBoard> boards_;
  std::map<Group, CollectedSpread> spreads_;
  std::map<Group, std::vector<double>> times_, energies_;
  std::map<Choice, std::vector<std::optional<ModeRow>>> best_;
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
