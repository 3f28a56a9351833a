#include "report/board_spread.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/json.h"
#include "base/statistics.h"
#include "store/store_database.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

struct Series {
  std::vector<double> ms, joules;
};

/// A workload's group, and the trial within it.
struct TrialKey {
  std::string device, workload, phase, settings, total, conditions;
  auto operator<=>(const TrialKey&) const = default;
};

constexpr const char* torch_condition = "LibTorch";

std::string software_of(const Measurement& m) {
  std::string software = m.fingerprint;
  if (m.conditions)
    if (const auto torch = m.conditions->find(torch_condition); torch != m.conditions->end())
      software += "; " + torch->second;
  return software;
}

/// All but software: of other data, in another environment, by another program it is another trial.
std::string conditions_of(const Measurement& m) {
  std::string text;
  for (const auto& [name, value] : m.conditions.value_or(Conditions()))
    if (name != torch_condition && !name.starts_with("library "))
      text += name + '\n' + value + '\n';
  return text;
}

/// Whose rows are whose, over all stores.
class Owners {
 public:
  explicit Owners(const std::vector<BoardRecord>& records) {
    for (const BoardRecord& record : records)
      for (const StoredMeasurement& stored : record.measurements)
        if (const auto source = record.sources.find(stored.id); source != record.sources.end())
          known_as_[source->second.store] = stored.board;
    for (const bool collected : {true, false})
      for (const BoardRecord& record : records)
        for (const StoredMeasurement& stored : record.measurements)
          if (is_own(record, stored) != collected) note_name(record, stored);
  }

  /// Has no other store told of it?
  bool is_news(const BoardRecord& record, const StoredMeasurement& stored) {
    if (const auto source = record.sources.find(stored.id); source != record.sources.end())
      return told_.insert(source->second).second;
    return record.store.empty() || told_.insert({record.store, stored.id}).second;
  }
  /// The board's name; two of one name are told apart.
  std::string name_of(const BoardRecord& record, const StoredMeasurement& stored) const {
    constexpr size_t digits = 8;
    const std::string board = board_of(record, stored);
    const std::string& name = names_.at(board);
    if (boards_.at(name).size() == 1) return name;
    return name + " (" + board.substr(0, digits) + ")";
  }

 private:
  static bool is_own(const BoardRecord& record, const StoredMeasurement& stored) {
    return stored.board.empty() || stored.board == record.store;
  }
  std::string board_of(const BoardRecord& record, const StoredMeasurement& stored) const {
    if (!stored.board.empty()) return stored.board;
    const auto known = known_as_.find(record.store);
    if (known != known_as_.end()) return known->second;
    return record.store.empty() ? record.name : record.store;
  }
  // A name under which it was collected says more than that of its file.
  void note_name(const BoardRecord& record, const StoredMeasurement& stored) {
    const std::string board = board_of(record, stored);
    const std::string& told = stored.board_name.empty() ? stored.board : stored.board_name;
    const auto [name, added] = names_.emplace(board, is_own(record, stored) ? record.name : told);
    if (added) boards_[name->second].insert(board);
  }

  std::map<std::string, std::string> known_as_;          ///< stores, as boards
  std::map<std::string, std::string> names_;             ///< by board
  std::map<std::string, std::set<std::string>> boards_;  ///< by name
  std::set<RowSource> told_;
};

// trial → board → software → readings
using TrialSeries = std::map<TrialKey, std::map<std::string, std::map<std::string, Series>>>;

TrialSeries gather(const std::vector<BoardRecord>& boards) {
  TrialSeries readings;
  Owners owners(boards);
  for (const BoardRecord& board : boards)
    for (const StoredMeasurement& stored : board.measurements) {
      const Measurement& m = stored.measurement;
      if (stored.reused || m.provenance != Provenance::measured || !counts(m)) continue;
      if (!owners.is_news(board, stored)) continue;
      const TrialKey key{m.device,
                         m.trial.job.workload,
                         phase_name(m.trial.job.phase),
                         describe(all_settings(m.trial)),
                         m.power ? m.power->total : "",
                         conditions_of(m)};
      Series& own = readings[key][owners.name_of(board, stored)][software_of(m)];
      own.ms.push_back(m.minibatch_ms);
      if (const auto joules = m.minibatch_j()) own.joules.push_back(*joules);
    }
  return readings;
}

double variation(const std::vector<double>& values) {
  return standard_deviation(values) / mean(values);
}

/// Collects the trials of each group.
class Groups {
 public:
  // `times` and `joules`: one value of each member.
  void add(const TrialKey& key, const std::string& board, const std::string& software,
           const std::vector<std::string>& members, const std::vector<double>& times,
           const std::vector<double>& joules) {
    if (times.size() < 2 || !(mean(times) > 0)) return;
    Group& group = groups_[{key.device, key.workload, key.phase, board, software}];
    for (const std::string& member : members)
      if (std::ranges::count(group.members, member) == 0) group.members.push_back(member);
    group.time.push_back(variation(times));
    if (joules.size() == times.size() && mean(joules) > 0)
      group.energy.push_back(variation(joules));
  }

  std::vector<SpreadGroup> list() const {
    const auto summed = [](const std::vector<double>& all) {
      return Variation{all.size(), median(all), *std::ranges::max_element(all)};
    };
    std::vector<SpreadGroup> list;
    for (const auto& [name, group] : groups_) {
      const auto& [device, workload, phase, board, software] = name;
      SpreadGroup& added = list.emplace_back(SpreadGroup{
          device, workload, phase, board, software, group.members, summed(group.time), {}});
      if (!group.energy.empty()) added.energy = summed(group.energy);
    }
    return list;
  }

 private:
  struct Group {
    std::vector<std::string> members;
    std::vector<double> time, energy;
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, Group>
      groups_;
};

void add_medians(Groups& groups, const TrialKey& key, const std::string& board,
                 const std::string& software,
                 const std::vector<std::pair<std::string, const Series*>>& members) {
  std::vector<std::string> names;
  std::vector<double> times, joules;
  for (const auto& [name, series] : members) {
    names.push_back(name);
    times.push_back(median(series->ms));
    if (!series->joules.empty()) joules.push_back(median(series->joules));
  }
  groups.add(key, board, software, names, times, joules);
}

Json variation_json(const Variation& variation) {
  return {{"trials", variation.trials}, {"median_cv", variation.median}, {"max_cv", variation.max}};
}

Json groups_json(const std::vector<SpreadGroup>& groups) {
  Json list = Json::array();
  for (const SpreadGroup& group : groups)
    list.push_back({{"device", group.device},
                    {"workload", group.workload},
                    {"phase", group.phase},
                    {"board", text_or_null(group.board)},
                    {"software", text_or_null(group.software)},
                    {"members", group.members},
                    {"time", variation_json(group.time)},
                    {"energy", group.energy ? variation_json(*group.energy) : Json()}});
  return list;
}

}  // namespace

Result<BoardRecord> board_record(Store& store, const std::filesystem::path& place) {
  BoardRecord record{place.string(), {}};
  MeasurementFilter live;
  live.provenance = Provenance::measured;
  FLYBALL_ASSIGN(record.measurements, store.measurements(live));
  FLYBALL_ASSIGN(record.store, store.identity());
  FLYBALL_ASSIGN(Database rows, open_store_database_to_read(place, {.create = false}));
  FLYBALL_CHECK(rows.run(
      "SELECT m.id, s.store, m.store_row FROM measurements m JOIN stores s ON s.id = m.store_id",
      {}, [&](const Row& row) {
        record.sources[row.integer(0)] = {row.text(1), row.integer(2)};
        return Status();
      }));
  FLYBALL_CHECK(rows.run("SELECT COUNT(*) FROM measurements WHERE provenance <> 'measured'", {},
                         [&](const Row& row) {
                           record.not_measured = static_cast<size_t>(row.integer(0));
                           return Status();
                         }));
  return record;
}

BoardSpread spread_of_boards(const std::vector<BoardRecord>& boards) {
  const TrialSeries readings = gather(boards);
  Groups between_boards, between_software, over_time;
  for (const auto& [key, of_boards] : readings) {
    std::map<std::string, std::vector<std::pair<std::string, const Series*>>> by_software;
    for (const auto& [board, versions] : of_boards) {
      std::vector<std::pair<std::string, const Series*>> own;
      for (const auto& [software, series] : versions) {
        by_software[software].emplace_back(board, &series);
        own.emplace_back(software, &series);
        over_time.add(key, board, software, {}, series.ms, series.joules);
      }
      add_medians(between_software, key, board, "", own);
    }
    for (const auto& [software, members] : by_software)
      add_medians(between_boards, key, "", software, members);
  }
  return {between_boards.list(), between_software.list(), over_time.list()};
}

Json to_json(const BoardSpread& spread) {
  return {{"between_boards", groups_json(spread.between_boards)},
          {"between_software", groups_json(spread.between_software)},
          {"over_time", groups_json(spread.over_time)}};
}

}  // namespace flyball
