#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "store/blob.h"
#include "store/rows.h"

namespace flyball {
namespace {

// The columns in the order in which insert_measurement writes and read_measurement reads them.
constexpr const char* own_columns = R"sql(mode, provenance,
  minibatch_ms, noise, stall_ms, compute_ms, first_stall_ms, first_compute_ms, first_e2e_ms,
  minibatches, power_total, power_w, power_noise, power_samples_wanted, power_samples_got,
  power_updates, power_energy_j, power_window_s, power_trace, power_gap,
  stop_reason, settle_s, warm_up_s, total_s, throttled, repeated, failure, started_utc, seed,
  other_cores, figures, throttling_watched, origin, span, disturbed_by, clocks)sql";

constexpr const char* columns_sql = R"sql(
  m.id, b.device, b.fingerprint, c.entries, j.workload, j.phase, j.settings, m.mode, m.provenance,
  minibatch_ms, noise, stall_ms, compute_ms, first_stall_ms, first_compute_ms, first_e2e_ms,
  minibatches, power_total, power_w, power_noise, power_samples_wanted, power_samples_got,
  power_updates, power_energy_j, power_window_s, power_trace, power_gap,
  stop_reason, settle_s, warm_up_s, total_s, throttled, repeated, failure, m.started_utc, m.seed,
  other_cores, m.figures, throttling_watched, origin, span, disturbed_by, clocks,
  (SELECT MIN(o.run_id) FROM run_measurements o WHERE o.measurement_id = m.id AND NOT o.reused),
  CASE WHEN s.board = '' THEN s.store ELSE s.board END,
  CASE WHEN s.board = '' THEN s.name ELSE s.board END
)sql";

constexpr const char* joins_sql = R"sql(
  measurements m JOIN boards b ON b.id = m.board_id JOIN jobs j ON j.id = m.job_id
  LEFT JOIN conditions c ON c.id = m.condition_id LEFT JOIN stores s ON s.id = m.store_id
)sql";

Result<int64_t> job_id(Database& database, const Job& job, const std::string& settings) {
  return id_of(database, "SELECT id FROM jobs WHERE workload = ? AND phase = ? AND settings = ?",
               "INSERT INTO jobs(workload, phase, settings) VALUES(?, ?, ?)",
               {job.workload, phase_name(job.phase), settings});
}

Error damaged(const char* what, const std::string& text) {
  return {Code::corrupt, fmt::format("the stored {} '{}' are damaged", what, text),
          "delete the run that holds them, or restore the store from a copy"};
}

Result<Settings> parse_settings(const std::string& text) {
  const SortedJson json = SortedJson::parse(text, nullptr, false);
  Settings settings;
  bool sound = json.is_object();
  if (sound)
    for (const auto& [name, value] : json.items()) {
      sound = sound && value.is_number();
      if (sound) settings[name] = value.get<double>();
    }
  if (sound) return settings;
  return damaged("settings", text);
}

std::string clocks_text(const std::vector<SeenClock>& clocks) {
  SortedJson json = SortedJson::array();
  for (const SeenClock& clock : clocks)
    json.push_back({{"axis", clock.axis}, {"mean", clock.mean}, {"least", clock.least}});
  return json.dump();
}

Result<std::vector<SeenClock>> parse_clocks(const std::string& text, const PowerMode& mode) {
  std::vector<SeenClock> clocks;
  try {
    for (const SortedJson& one : SortedJson::parse(text)) {
      SeenClock& clock =
          clocks.emplace_back(SeenClock{one.at("axis"), one.at("mean"), one.at("least")});
      if (!mode.values.contains(clock.axis)) return damaged("clocks", text);
    }
  } catch (const SortedJson::exception&) {
    return damaged("clocks", text);
  }
  return clocks;
}

// Reads columns one after the other, so that no number of a column is written twice.
struct Reader {
  const Row& row;
  int column = 0;
  int64_t integer() { return row.integer(column++); }
  int count() { return static_cast<int>(row.integer(column++)); }
  double real() { return row.real(column++); }
  std::string text() { return row.text(column++); }
  std::string_view blob() { return row.blob(column++); }
};

void read_power(Reader& in, Measurement& m) {
  const bool known = !in.row.is_null(in.column);
  PowerReading power;
  power.total = in.text();
  power.mean_w = in.real();
  power.noise = in.real();
  power.samples_wanted = in.count();
  power.samples_got = in.count();
  power.distinct_updates = in.count();
  power.energy_j = in.real();
  power.window_s = in.real();
  if (known) m.power = power;
}

Result<StoredMeasurement> read_measurement(const Row& row) {
  Reader in{row};
  StoredMeasurement stored;
  Measurement& m = stored.measurement;
  stored.id = in.integer();
  m.device = in.text();
  m.fingerprint = in.text();
  FLYBALL_ASSIGN(m.conditions, read_conditions(row, in.column++));
  m.trial.job.workload = in.text();
  FLYBALL_ASSIGN(m.trial.job.phase, parse_phase(in.text()));
  FLYBALL_ASSIGN(m.trial.job.settings, parse_settings(in.text()));
  FLYBALL_ASSIGN(m.trial.mode.values, parse_settings(in.text()));
  FLYBALL_ASSIGN(m.provenance, parse_provenance(in.text()));
  m.minibatch_ms = in.real();
  m.noise = in.real();
  m.stall_ms = in.real();
  m.compute_ms = in.real();
  m.first.stall_ms = in.real();
  m.first.compute_ms = in.real();
  m.first.e2e_ms = in.real();
  FLYBALL_ASSIGN(m.minibatches, decode_minibatches(in.blob()));
  read_power(in, m);
  FLYBALL_ASSIGN(m.power_trace, decode_trace(in.blob()));
  m.power_gap = in.text();
  m.stop_reason = in.text();
  m.settle_s = in.real();
  m.warm_up_s = in.real();
  m.total_s = in.real();
  const bool throttled = in.integer() != 0;
  m.repeated = in.integer() != 0;
  m.failure = in.text();
  m.started_utc = in.text();
  m.seed = static_cast<uint64_t>(in.integer());
  if (!row.is_null(in.column)) m.interference.cores = row.real(in.column);
  ++in.column;
  FLYBALL_ASSIGN(m.figures, parse_settings(in.text()));
  if (in.integer() != 0 || throttled) m.interference.throttled = throttled;
  FLYBALL_ASSIGN(m.origin, parse_origin(in.text()));
  FLYBALL_ASSIGN(m.span, parse_span(in.text()));
  m.interference.by = in.text();
  FLYBALL_ASSIGN(m.clocks, parse_clocks(in.text(), m.trial.mode));
  if (!row.is_null(in.column)) stored.run = row.integer(in.column);
  ++in.column;
  stored.board = in.text();
  stored.board_name = in.text();
  stored.reused = in.integer() != 0;
  return stored;
}

std::string repeated(const char* text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

Value optional_text(const std::optional<std::string>& text) {
  return text ? Value(*text) : Value();
}

// A column that is compared with NULL is not asked about.
constexpr const char* filter_sql = R"sql(
  (?1 IS NULL OR b.device = ?1) AND (?2 IS NULL OR b.fingerprint = ?2) AND
  (?3 IS NULL OR j.workload = ?3) AND (?4 IS NULL OR j.phase = ?4) AND
  (?5 IS NULL OR m.provenance = ?5) AND (?6 IS NULL OR m.power_total = ?6) AND
  (?7 OR m.failure = '') AND (?8 IS NULL OR c.entries = ?8) AND (?10 OR m.disturbed_by = '')
  AND (NOT ?11 OR m.store_id IS NULL) AND
  (?12 IS NULL OR b.device = ?12 OR CASE WHEN s.board = '' THEN s.name ELSE s.board END = ?12)
)sql";

// Runs a statement whose values are those of filter_sql, and its ninth the run.
Status run_filtered(Database& database, const std::string& sql, const MeasurementFilter& filter,
                    const Database::OnRow& on_row) {
  std::optional<std::string> entries;
  if (filter.conditions) {
    FLYBALL_ASSIGN(entries, conditions_text(*filter.conditions));
  }
  return database.run(
      sql,
      {optional_text(filter.device), optional_text(filter.fingerprint),
       optional_text(filter.workload), filter.phase ? Value(phase_name(*filter.phase)) : Value(),
       filter.provenance ? Value(provenance_name(*filter.provenance)) : Value(),
       optional_text(filter.power_total), filter.failed, optional_text(entries),
       filter.run ? Value(*filter.run) : Value(), filter.disturbed, filter.own,
       optional_text(filter.board)},
      on_row);
}

}  // namespace

Result<int64_t> id_of(Database& database, const char* select, const char* insert,
                      std::initializer_list<Value> values) {
  FLYBALL_ASSIGN(const int64_t known, database.integer(select, values));
  if (known != 0) return known;
  FLYBALL_CHECK(database.run(insert, values));
  return database.last_id();
}

Result<int64_t> board_row(Database& database, const std::string& device,
                          const std::string& fingerprint) {
  return id_of(database, "SELECT id FROM boards WHERE device = ? AND fingerprint = ?",
               "INSERT INTO boards(device, fingerprint) VALUES(?, ?)", {device, fingerprint});
}

Result<std::string> settings_text(const Settings& settings) {
  for (const auto& [name, value] : settings)
    if (!std::isfinite(value))
      return Error{Code::invalid_argument, fmt::format("'{}' is {}, not a number", name, value),
                   "settings are finite numbers"};
  try {
    return SortedJson(settings).dump();
  } catch (const SortedJson::exception&) {
    return Error{Code::invalid_argument, "the name of an axis is not UTF-8", "rename the axis"};
  }
}

std::vector<std::string> measurement_columns() {
  std::vector<std::string> columns = split(own_columns, ',');
  for (std::string& column : columns) column = trim(column);
  return columns;
}

Result<int64_t> insert_measurement(Database& database, const Measurement& m) {
  static const std::string insert_sql =
      fmt::format("INSERT INTO measurements(board_id, condition_id, job_id, {}) VALUES(?, ?, ?{})",
                  own_columns, repeated(", ?", measurement_columns().size()));
  FLYBALL_ASSIGN(const std::string mode, settings_text(m.trial.mode.values));
  FLYBALL_ASSIGN(const std::string settings, settings_text(m.trial.job.settings));
  FLYBALL_ASSIGN(const std::string figures, settings_text(m.figures));
  FLYBALL_ASSIGN(const std::string minibatches, encode_minibatches(m.minibatches));
  FLYBALL_ASSIGN(const std::string trace, encode_trace(m.power_trace));
  FLYBALL_ASSIGN(const int64_t board, board_row(database, m.device, m.fingerprint));
  FLYBALL_ASSIGN(const Value condition, condition_row(database, m.conditions));
  FLYBALL_ASSIGN(const int64_t job, job_id(database, m.trial.job, settings));
  const PowerReading power = m.power.value_or(PowerReading());
  const auto known = [&](Value value) { return m.power ? value : Value(); };
  FLYBALL_CHECK(
      database.run(insert_sql, {board,
                                condition,
                                job,
                                mode,
                                provenance_name(m.provenance),
                                m.minibatch_ms,
                                m.noise,
                                m.stall_ms,
                                m.compute_ms,
                                m.first.stall_ms,
                                m.first.compute_ms,
                                m.first.e2e_ms,
                                Value::Blob{minibatches},
                                known(power.total),
                                known(power.mean_w),
                                known(power.noise),
                                known(power.samples_wanted),
                                known(power.samples_got),
                                known(power.distinct_updates),
                                known(power.energy_j),
                                known(power.window_s),
                                Value::Blob{trace},
                                m.power_gap,
                                m.stop_reason,
                                m.settle_s,
                                m.warm_up_s,
                                m.total_s,
                                m.interference.throttled.value_or(false),
                                m.repeated,
                                m.failure,
                                m.started_utc,
                                m.seed,
                                m.interference.cores ? Value(*m.interference.cores) : Value(),
                                figures,
                                m.interference.throttled.has_value(),
                                origin_name(m.origin),
                                span_name(m.span),
                                m.interference.by,
                                clocks_text(m.clocks)}));
  return database.last_id();
}

Result<std::vector<StoredMeasurement>> select_measurements(Database& database,
                                                           const MeasurementFilter& filter) {
  static const std::string of_run = fmt::format(
      "SELECT {}, r.reused FROM run_measurements r, {} "
      "WHERE {} AND m.id = r.measurement_id AND r.run_id = ?9 ORDER BY r.position",
      columns_sql, joins_sql, filter_sql);
  static const std::string of_all =
      fmt::format("SELECT {}, 0 FROM {} WHERE {} AND ?9 IS NULL ORDER BY m.id", columns_sql,
                  joins_sql, filter_sql);
  std::vector<StoredMeasurement> found;
  FLYBALL_CHECK(
      run_filtered(database, filter.run ? of_run : of_all, filter, [&](const Row& row) -> Status {
        FLYBALL_ASSIGN(StoredMeasurement stored, read_measurement(row));
        found.push_back(std::move(stored));
        return {};
      }));
  return found;
}

Result<std::vector<SameConditions>> select_conditions(Database& database,
                                                      const MeasurementFilter& filter) {
  static const std::string sql = fmt::format(
      "SELECT b.fingerprint, c.entries, m.disturbed_by, COUNT(*), m.store_id IS NULL FROM {} "
      "WHERE {} AND ?9 IS NULL GROUP BY b.fingerprint, c.entries, m.disturbed_by, "
      "m.store_id IS NULL ORDER BY MAX(m.started_utc), MAX(m.id)",
      joins_sql, filter_sql);
  std::vector<SameConditions> found;
  FLYBALL_CHECK(run_filtered(database, sql, filter, [&](const Row& row) -> Status {
    SameConditions same;
    same.fingerprint = row.text(0);
    FLYBALL_ASSIGN(same.conditions, read_conditions(row, 1));
    same.disturbed_by = row.text(2);
    same.measurements = static_cast<size_t>(row.integer(3));
    same.own = row.integer(4) != 0;
    found.push_back(std::move(same));
    return {};
  }));
  return found;
}

}  // namespace flyball
