#include "space/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "base/lower.h"
#include "base/statistics.h"
#include "base/text.h"

namespace flyball {
namespace {

// What `flyball predict` writes beside a prediction; no axes.
constexpr std::array beside = {"minibatch_ms_lo90", "minibatch_ms_hi90", "power_w_lo90",
                               "power_w_hi90", "extrapolated"};

struct Columns {
  size_t device = 0, workload = 0, phase = 0, time = 0;
  std::optional<size_t> power, total, provenance;
  std::vector<size_t> axes;
};

Result<size_t> required(const Csv& csv, const std::string& title) {
  if (const auto found = csv.column(title)) return *found;
  return csv.missing({Code::corrupt, fmt::format("{} has no column '{}'", csv.name, title),
                      "a measured table needs device, workload, phase, the axes and minibatch_ms; "
                      "`flyball import --map` renames columns"});
}

Status check_titles(const Csv& csv) {
  for (size_t c = 0; c < csv.header.size(); ++c)
    if (csv.header[c].empty())
      return Error{Code::corrupt,
                   fmt::format("{}:{}: column {} has no name", csv.name, csv.header_line, c + 1),
                   "name it in the header, or leave the column out"};
  return {};
}

// Without capitals, and without what stands between words: "CPU MHz" is cpu_mhz.
std::string bare(const std::string& title) {
  std::string letters = lower(title);
  std::erase_if(letters, [](char c) { return c == ' ' || c == '_' || c == '-'; });
  return letters;
}

// A column that is spelled in another way would be an axis, and what it holds lost. One that says
// that it is an axis of a run is one: a program may name its own as it likes.
Status check_spelling(const Csv& csv, const std::string& title) {
  std::vector<std::string> known = known_axis_names();
  known.insert(known.end(), {"device", "workload", "phase", "minibatch_ms", "power_w",
                             "power_total", "provenance"});
  known.insert(known.end(), beside.begin(), beside.end());
  const Axis axis = titled_axis(title);
  if (axis.name != title && axis.scope == Scope::run) return {};
  const std::string letters = bare(axis.name);
  for (const std::string& one : known)
    if (axis.name != one && letters == bare(one))
      return Error{Code::corrupt, fmt::format("{} has a column '{}'", csv.name, title),
                   fmt::format("did you mean '{}'? `flyball import --map` renames columns", one)};
  return {};
}

Result<Columns> find_columns(const Csv& csv) {
  FLYBALL_CHECK(check_titles(csv));
  Columns columns;
  FLYBALL_ASSIGN(columns.device, required(csv, "device"));
  FLYBALL_ASSIGN(columns.workload, required(csv, "workload"));
  FLYBALL_ASSIGN(columns.phase, required(csv, "phase"));
  FLYBALL_ASSIGN(columns.time, required(csv, "minibatch_ms"));
  columns.power = csv.column("power_w");
  columns.total = csv.column("power_total");
  columns.provenance = csv.column("provenance");
  for (size_t c = 0; c < csv.header.size(); ++c) {
    if (std::find(csv.header.begin(), csv.header.begin() + static_cast<std::ptrdiff_t>(c),
                  csv.header[c]) != csv.header.begin() + static_cast<std::ptrdiff_t>(c))
      return Error{Code::corrupt, fmt::format("{} has two columns '{}'", csv.name, csv.header[c]),
                   "rename one of them"};
    const bool known = c == columns.device || c == columns.workload || c == columns.phase ||
                       c == columns.time || columns.power == c || columns.total == c ||
                       columns.provenance == c || is_passed_over(csv.header[c]);
    if (known) continue;
    FLYBALL_CHECK(check_spelling(csv, csv.header[c]));
    columns.axes.push_back(c);
  }
  if (columns.axes.empty())
    return Error{Code::corrupt, fmt::format("{} has no axis column", csv.name),
                 "add columns such as cpu_cores, cpu_mhz, gpu_mhz"};
  return columns;
}

// More than any minibatch or board can have: eleven days, a megawatt; and less: a picosecond, a
// microwatt.
constexpr double most_ms = 1e9, most_w = 1e6, least_ms = 1e-9, least_w = 1e-6;

Result<double> positive(const Csv& csv, size_t row, size_t column, double least, double most) {
  FLYBALL_ASSIGN(const double value, csv.number(row, column));
  if (value > most)
    return csv.at(row, column, fmt::format("{} is more than {:g}", csv.rows[row][column], most),
                  "is the unit right? `flyball import --map` converts units");
  if (value >= least) return value;
  if (value > 0)
    return csv.at(row, column, fmt::format("{} is less than {:g}", csv.rows[row][column], least),
                  "is the unit right? `flyball import --map` converts units");
  return csv.at(row, column, fmt::format("{} is not above zero", csv.rows[row][column]),
                "times and powers are positive; leave an unknown power empty");
}

Result<double> axis_value(const Csv& csv, size_t row, size_t column) {
  FLYBALL_ASSIGN(const double value, csv.number(row, column));
  const Axis axis = titled_axis(csv.header[column]);
  const std::string fault = axis_value_fault(axis.name, value);
  if (fault.empty()) return value;
  return csv.at(row, column, fmt::format("'{}': {}", csv.rows[row][column], fault),
                "mend the field, or leave the row out");
}

bool is_blank(const Csv& csv, size_t row, size_t column) {
  return trim(csv.rows[row][column]).empty();
}

Status check_named(const Csv& csv, size_t row, size_t column) {
  if (!is_blank(csv, row, column)) return {};
  return csv.at(row, column, "is empty", "every row names its device and its workload");
}

// The workload of this row. Its first row decides which axes it has: those that are not empty.
Result<WorkloadTable*> table_of(Table& table, const Csv& csv, const Columns& columns, size_t row,
                                Phase phase) {
  const std::string& device = csv.rows[row][columns.device];
  const std::string& workload = csv.rows[row][columns.workload];
  for (WorkloadTable& known : table.workloads)
    if (known.device == device && known.workload == workload && known.phase == phase) return &known;
  std::vector<Axis> axes;
  for (size_t c : columns.axes)
    if (!is_blank(csv, row, c)) axes.push_back(titled_axis(csv.header[c]));
  if (axes.empty())
    return csv.at(row, columns.axes.front(), "the row has no value on any axis",
                  "give at least one");
  WorkloadTable& added = table.workloads.emplace_back();
  added.device = device;
  added.workload = workload;
  added.phase = phase;
  added.space = Space(std::move(axes));
  if (columns.total) added.power_total = csv.rows[row][*columns.total];
  return &added;
}

Result<std::vector<double>> config_of(const Csv& csv, const Columns& columns, size_t row,
                                      const Space& space) {
  std::vector<double> config;
  for (size_t c : columns.axes) {
    if (space.axis_index(titled_axis(csv.header[c]).name)) {
      FLYBALL_ASSIGN(const double value, axis_value(csv, row, c));
      config.push_back(value);
    } else if (!is_blank(csv, row, c)) {
      return csv.at(row, c, "is given here, but not in the workload's first row",
                    "fill an axis in every row of a workload, or in none");
    }
  }
  return config;
}

Result<Provenance> provenance_of(const Csv& csv, const Columns& columns, size_t row) {
  if (!columns.provenance || is_blank(csv, row, *columns.provenance)) return Provenance::table;
  const auto known = parse_provenance(std::string(trim(csv.rows[row][*columns.provenance])));
  if (known) return *known;
  return csv.at(row, *columns.provenance, known.error().message, known.error().hint);
}

Status add_row(Table& table, const Csv& csv, const Columns& columns, size_t row) {
  FLYBALL_CHECK(check_named(csv, row, columns.device));
  FLYBALL_CHECK(check_named(csv, row, columns.workload));
  const auto phase = parse_phase(csv.rows[row][columns.phase]);
  if (!phase) return csv.at(row, columns.phase, phase.error().message, phase.error().hint);
  FLYBALL_ASSIGN(WorkloadTable* const target, table_of(table, csv, columns, row, *phase));
  FLYBALL_ASSIGN(const auto config, config_of(csv, columns, row, target->space));
  FLYBALL_ASSIGN(const double time, positive(csv, row, columns.time, least_ms, most_ms));
  double power = not_known;
  if (columns.power && !is_blank(csv, row, *columns.power)) {
    FLYBALL_ASSIGN(power, positive(csv, row, *columns.power, least_w, most_w));
  }
  if (columns.total && csv.rows[row][*columns.total] != target->power_total)
    return csv.at(row, *columns.total, "a workload's rows name different power totals",
                  "keep totals in tables of their own; a fit never mixes them silently");
  FLYBALL_ASSIGN(const Provenance known, provenance_of(csv, columns, row));
  target->add(config, time, power, known);
  return {};
}

bool says_how_known(const WorkloadTable& table) {
  return std::ranges::any_of(table.provenance,
                             [](Provenance known) { return known != Provenance::table; });
}

// What is known better outdoes the rest: measured (also by somebody else), simulated, predicted.
int rank(Provenance provenance) {
  if (provenance == Provenance::predicted) return 2;
  return provenance == Provenance::simulated ? 1 : 0;
}

std::string names_of(const Table& table) {
  std::vector<std::string> names;
  for (const WorkloadTable& workload : table.workloads)
    names.push_back(workload.workload + " (" + phase_name(workload.phase) + ")");
  return join(names, ", ");
}

}  // namespace

bool is_passed_over(const std::string& column) {
  return std::ranges::find(beside, column) != beside.end();
}

bool WorkloadTable::has_power() const {
  return std::ranges::any_of(power_w, [](double power) { return !std::isnan(power); });
}

void WorkloadTable::add(std::span<const double> config, double time_ms, double power,
                        Provenance known) {
  if (known != Provenance::table) provenance.resize(size(), Provenance::table);
  if (known != Provenance::table || !provenance.empty()) provenance.push_back(known);
  space.add(config);
  minibatch_ms.push_back(time_ms);
  power_w.push_back(power);
}

std::string WorkloadTable::title() const {
  return fmt::format("{} {} on {}", workload, phase_name(phase), device);
}

Result<const WorkloadTable*> Table::find(const std::string& workload,
                                         std::optional<Phase> phase) const {
  const WorkloadTable* found = nullptr;
  for (const WorkloadTable& candidate : workloads) {
    if (candidate.workload != workload || (phase && candidate.phase != *phase)) continue;
    if (found)
      return Error{Code::invalid_argument,
                   fmt::format("{} holds '{}' more than once", name, workload),
                   "say which with --phase train or --phase infer, or split it by device"};
    found = &candidate;
  }
  if (found) return found;
  // Asked in one phase, and there in the other.
  if (std::ranges::find(workloads, workload, &WorkloadTable::workload) != workloads.end())
    return Error{
        Code::not_found,
        fmt::format("{} holds '{}', but not in phase {}", name, workload, phase_name(*phase)),
        fmt::format("it holds: {}; name that phase, or another table", names_of(*this))};
  return Error{Code::not_found, fmt::format("{} holds no workload '{}'", name, workload),
               "it holds: " + names_of(*this)};
}

Result<const WorkloadTable*> Table::only(std::optional<Phase> phase) const {
  const WorkloadTable* found = nullptr;
  size_t count = 0;
  for (const WorkloadTable& candidate : workloads)
    if (!phase || candidate.phase == *phase) {
      found = &candidate;
      ++count;
    }
  if (count == 1) return found;
  return Error{Code::invalid_argument,
               fmt::format("{} holds {} workloads{}, one is wanted", name,
                           count == 0 ? "no" : fmt::format("{}", count),
                           phase ? fmt::format(" in phase {}", phase_name(*phase)) : ""),
               "say which; it holds: " + names_of(*this)};
}

KnownRows best_known(const WorkloadTable& table, std::span<const size_t> rows) {
  const auto rank_of = [&](size_t row) { return rank(table.known(row)); };
  const int best = rank_of(*std::ranges::min_element(rows, {}, rank_of));
  KnownRows kept;
  std::ranges::copy_if(rows, std::back_inserter(kept.rows),
                       [&](size_t row) { return rank_of(row) == best; });
  const Provenance first = table.known(kept.rows.front());
  const bool alike =
      std::ranges::all_of(kept.rows, [&](size_t row) { return table.known(row) == first; });
  kept.provenance = alike ? first : Provenance::table;
  return kept;
}

WorkloadTable merge_repeats(const WorkloadTable& table) {
  std::map<std::vector<double>, std::vector<size_t>> rows;
  std::vector<const std::vector<size_t>*> order;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto row = table.space.row(i);
    auto& same = rows[{row.begin(), row.end()}];
    if (same.empty()) order.push_back(&same);
    same.push_back(i);
  }
  WorkloadTable merged = table;
  merged.space = Space(table.space.axes());
  merged.minibatch_ms.clear();
  merged.power_w.clear();
  merged.provenance.clear();
  for (const std::vector<size_t>* same : order) {
    std::vector<double> times, powers;
    const KnownRows repeats = best_known(table, *same);
    for (size_t i : repeats.rows) {
      times.push_back(table.minibatch_ms[i]);
      if (!std::isnan(table.power_w[i])) powers.push_back(table.power_w[i]);
    }
    merged.add(table.space.row(same->front()), median(times),
               powers.empty() ? not_known : median(powers), repeats.provenance);
  }
  return merged;
}

std::string merged_text(size_t repeats, const std::string& table) {
  return fmt::format("{} repeated row{}{} merged: medians of the best known", repeats,
                     repeats == 1 ? "" : "s", table.empty() ? "" : " of " + table);
}

WorkloadTable take_rows(const WorkloadTable& table, std::span<const size_t> rows) {
  WorkloadTable part = table;
  part.space = table.space.subset(rows);
  part.minibatch_ms.clear();
  part.power_w.clear();
  part.provenance.clear();
  for (size_t row : rows) {
    part.minibatch_ms.push_back(table.minibatch_ms[row]);
    part.power_w.push_back(table.power_w[row]);
    if (!table.provenance.empty()) part.provenance.push_back(table.provenance[row]);
  }
  return part;
}

WorkloadTable accepted_rows(const WorkloadTable& table, Accepted accepted, size_t& dropped) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < table.size(); ++i)
    if (accepted(table.known(i))) kept.push_back(i);
  dropped += table.size() - kept.size();
  WorkloadTable rows = kept.size() == table.size() ? table : take_rows(table, kept);
  rows.accepted = accepted;
  return rows;
}

Result<Table> parse_table(const Csv& csv) {
  FLYBALL_ASSIGN(const Columns columns, find_columns(csv));
  Table table;
  table.name = csv.name;
  for (size_t row = 0; row < csv.rows.size(); ++row)
    FLYBALL_CHECK(add_row(table, csv, columns, row));
  if (table.workloads.empty())
    return Error{Code::corrupt, fmt::format("{} holds no rows", csv.name),
                 "below the header, a table has one row for each measured configuration"};
  return table;
}

Result<Table> read_table(const std::filesystem::path& path) {
  FLYBALL_ASSIGN(const Csv csv, read_csv(path));
  return parse_table(csv);
}

std::string format_table(std::span<const WorkloadTable> workloads) {
  std::vector<std::string> axes, titles;
  for (const WorkloadTable& table : workloads)
    for (const Axis& axis : table.space.axes()) {
      if (std::find(axes.begin(), axes.end(), axis.name) != axes.end()) continue;
      axes.push_back(axis.name);
      titles.push_back(axis_title(axis));
    }
  const bool totals = std::ranges::any_of(
      workloads, [](const WorkloadTable& table) { return !table.power_total.empty(); });
  const bool known = std::ranges::any_of(workloads, says_how_known);

  std::vector<std::string> header = {"device", "workload", "phase"};
  header.insert(header.end(), titles.begin(), titles.end());
  header.insert(header.end(), {"minibatch_ms", "power_w"});
  if (totals) header.push_back("power_total");
  if (known) header.push_back("provenance");
  std::string text = csv_line(header);
  for (const WorkloadTable& table : workloads) {
    for (size_t i = 0; i < table.size(); ++i) {
      std::vector<std::string> fields = {table.device, table.workload, phase_name(table.phase)};
      for (const std::string& axis : axes) {
        const auto d = table.space.axis_index(axis);
        fields.push_back(d ? format_number(table.space.row(i)[*d]) : "");
      }
      fields.push_back(format_number(table.minibatch_ms[i]));
      fields.push_back(std::isnan(table.power_w[i]) ? "" : format_number(table.power_w[i]));
      if (totals) fields.push_back(table.power_total);
      if (known) fields.push_back(provenance_name(table.known(i)));
      text += csv_line(fields);
    }
  }
  return text;
}

}  // namespace flyball
