#include "store/stored_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "base/statistics.h"
#include "space/axis.h"
#include "space/board_fingerprint.h"

namespace flyball {
namespace {

// The fingerprint is all that is known of it.
bool of_a_table(const Measurement& m) {
  return m.origin == Origin::imported || m.origin == Origin::table;
}

// What a row of a table reads, in whatever part of the table: of one board, in one configuration.
using TableRow = std::tuple<std::string, std::string, Phase, Settings, Settings>;
struct TableReading {
  TableRow row;
  std::string power_total;
  double ms = 0;
  std::optional<double> power_w;
  auto operator<=>(const TableReading&) const = default;
};

TableRow row_of(const Measurement& m) {
  const Job& job = m.trial.job;
  return {m.device, job.workload, job.phase, job.settings, m.trial.mode.values};
}

TableReading reading_of(const Measurement& m) {
  TableReading reading{row_of(m), "", m.minibatch_ms, {}};
  if (!m.power) return reading;
  reading.power_total = m.power->total;
  reading.power_w = m.power->mean_w;
  return reading;
}

// The rows of one configuration that were imported with a table, which answers their median.
struct ImportedRows {
  std::vector<double> ms, power_w;
  std::string power_total;

  void add(const Measurement& m) {
    ms.push_back(m.minibatch_ms);
    if (!m.power) return;
    power_w.push_back(m.power->mean_w);
    power_total = m.power->total;
  }
  TableReading median_of(const TableRow& row) const {
    const std::optional<double> power =
        power_w.empty() ? std::nullopt : std::optional(median(power_w));
    return {row, power_total, median(ms), power};
  }
};

// What a table answered is no measurement beside the row that was imported of it, nor beside the
// same answer to another run. A part of a table is a table of another fingerprint that reads the
// same.
void leave_out_copies(std::vector<StoredMeasurement>& all) {
  std::map<std::pair<std::string, TableRow>, ImportedRows> imported;
  for (const StoredMeasurement& stored : all)
    if (const Measurement& m = stored.measurement; m.origin == Origin::imported)
      imported[{m.fingerprint, row_of(m)}].add(m);
  std::set<TableReading> known;
  for (const auto& [row, rows] : imported) known.insert(rows.median_of(row.second));
  std::erase_if(all, [&](const StoredMeasurement& stored) {
    const Measurement& m = stored.measurement;
    return m.origin == Origin::table &&
           (imported.contains({m.fingerprint, row_of(m)}) || !known.insert(reading_of(m)).second);
  });
}

bool has_setting(const StoredMeasurement& stored, const char* name, double value) {
  const Settings& settings = stored.measurement.trial.job.settings;
  const auto found = settings.find(name);
  return found != settings.end() && found->second == value;
}

// Those with this value of a setting, where there are any.
bool keep_where_any(std::vector<StoredMeasurement>& trials, const char* name, double value) {
  const auto has = [&](const StoredMeasurement& one) { return has_setting(one, name, value); };
  if (std::ranges::none_of(trials, has)) return false;
  std::erase_if(trials, [&](const StoredMeasurement& one) { return !has(one); });
  return true;
}

}  // namespace

bool stands_alone(const Measurement& m) {
  return !m.failed() && !m.interference.throttled.value_or(false) && m.interference.by.empty();
}

bool counts(const Measurement& m, Accepted accepted) {
  return stands_alone(m) && accepted(m.provenance);
}

void LeftOutTrials::add(const Measurement& m, Accepted accepted) {
  if (m.failed() || counts(m, accepted)) return;
  if (!m.interference.by.empty())
    ++disturbed;
  else if (m.interference.throttled.value_or(false))
    ++throttled;
  else if (m.provenance == Provenance::simulated)
    ++simulated;
  else
    ++predicted;
}

void LeftOutTrials::add(const LeftOutTrials& others) {
  disturbed += others.disturbed;
  throttled += others.throttled;
  simulated += others.simulated;
  predicted += others.predicted;
  whole_runs += others.whole_runs;
  other_conditions += others.other_conditions;
}

std::string LeftOutTrials::words() const {
  std::vector<std::string> parts;
  const auto tell = [&](size_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  tell(disturbed, "disturbed");
  tell(throttled, "throttled");
  tell(simulated, "simulated");
  tell(predicted, "predicted");
  tell(whole_runs, "whole-run");
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  if (!text.empty()) text += " trials";
  if (other_conditions > 0)
    text += fmt::format("{}{} under other conditions than the latest", text.empty() ? "" : ", ",
                        other_conditions);
  return text;
}

std::string LeftOutTrials::accept_hint() const {
  return words() + " are left out: --accept simulated takes them";
}

StoredTrials counted(std::vector<StoredMeasurement> measurements, Accepted accepted) {
  StoredTrials kept;
  for (StoredMeasurement& stored : measurements) {
    kept.left_out.add(stored.measurement, accepted);
    if (counts(stored.measurement, accepted)) kept.trials.push_back(std::move(stored));
  }
  return kept;
}

Result<std::vector<StoredMeasurement>> stored_rows(Store& store, const MeasurementFilter& filter) {
  FLYBALL_ASSIGN(std::vector<StoredMeasurement> all, store.measurements(filter));
  leave_out_copies(all);
  return all;
}

Result<StoredTrials> stored_trials(Store& store, const MeasurementFilter& filter,
                                   Accepted accepted) {
  FLYBALL_ASSIGN(std::vector<StoredMeasurement> all, stored_rows(store, filter));
  return counted(std::move(all), accepted);
}

StoredTrials of_minibatches(StoredTrials all) {
  all.left_out.whole_runs += std::erase_if(
      all.trials, [](const StoredMeasurement& stored) { return stored.measurement.whole_run(); });
  return all;
}

StoredTrials of_latest_conditions(StoredTrials all) {
  // Numbers follow the order in which stores were collected, times that of the trials.
  const auto when = [](const StoredMeasurement& stored) {
    return std::tie(stored.measurement.started_utc, stored.id);
  };
  const StoredMeasurement* latest = nullptr;
  for (const StoredMeasurement& stored : all.trials)
    if (!of_a_table(stored.measurement) && (!latest || when(stored) > when(*latest)))
      latest = &stored;
  if (!latest) return all;
  const std::string fingerprint = latest->measurement.fingerprint;
  const auto conditions = latest->measurement.conditions;
  all.left_out.other_conditions += std::erase_if(all.trials, [&](const StoredMeasurement& stored) {
    const Measurement& m = stored.measurement;
    return !of_a_table(m) && (m.fingerprint != fingerprint || m.conditions != conditions);
  });
  return all;
}

TrialOwner owner_of(const StoredMeasurement& stored) {
  return {stored.board, individual_of(stored.measurement.fingerprint)};
}

std::map<TrialOwner, std::vector<const Measurement*>> by_owner(
    const std::vector<StoredMeasurement>& trials) {
  std::map<TrialOwner, std::vector<const Measurement*>> owners;
  for (const StoredMeasurement& one : trials) owners[owner_of(one)].push_back(&one.measurement);
  return owners;
}

StoredTrials of_latest_by_board(StoredTrials all) {
  std::map<TrialOwner, StoredTrials> boards;
  for (StoredMeasurement& one : all.trials) boards[owner_of(one)].trials.push_back(std::move(one));
  all.trials.clear();
  for (auto& [board, trials] : boards) {
    StoredTrials latest = of_latest_conditions(std::move(trials));
    all.left_out.other_conditions += latest.left_out.other_conditions;
    std::ranges::move(latest.trials, std::back_inserter(all.trials));
  }
  return all;
}

std::vector<std::string> OneTotal::notes(const std::string& what) const {
  std::vector<std::string> notes;
  for (const auto& [total, boards] : others)
    notes.push_back(fmt::format("{}: power of {} board{} is another total ({}), and left out", what,
                                boards, boards == 1 ? "" : "s",
                                total.empty() ? "not named" : total));
  if (without > 0)
    notes.push_back(fmt::format("{}: {} trial{} without power {} left out", what, without,
                                without == 1 ? "" : "s", without == 1 ? "is" : "are"));
  return notes;
}

OneTotal keep_one_total(std::vector<StoredMeasurement>& trials) {
  std::map<std::string, std::set<TrialOwner>> owners;
  for (const StoredMeasurement& one : trials)
    if (one.measurement.power) owners[one.measurement.power->total].insert(owner_of(one));
  OneTotal kept;
  if (owners.empty()) return kept;
  const auto most =
      std::ranges::max_element(owners, {}, [](const auto& total) { return total.second.size(); });
  kept.taken = most->first;
  for (const auto& [total, boards] : owners)
    if (total != kept.taken) kept.others[total] = boards.size();
  std::erase_if(trials, [&](const StoredMeasurement& one) {
    const auto& power = one.measurement.power;
    if (!power) ++kept.without;
    return !power || power->total != kept.taken;
  });
  return kept;
}

bool keep_as_asked(std::vector<StoredMeasurement>& trials, const AskedSettings& asked) {
  std::erase_if(trials, [&](const StoredMeasurement& one) {
    return !has_setting(one, axis::batch_size, asked.batch_size);
  });
  const bool told = keep_where_any(trials, axis::loader_workers, asked.loader_workers);
  if (!told)
    std::erase_if(trials, [](const StoredMeasurement& one) {
      return one.measurement.trial.job.settings.contains(axis::loader_workers);
    });
  if (asked.loader_workers > 0) keep_where_any(trials, axis::prefetch, asked.prefetch);
  return told;
}

}  // namespace flyball
