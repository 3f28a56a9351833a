#include "space/import_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <string_view>

#include "base/distinct.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr std::array text_columns = {"device", "workload", "phase", "power_total", "provenance"};
constexpr std::array figure_columns = {"minibatch_ms", "power_w"};

bool contains(const auto& names, std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view known) { return known == name; });
}
bool is_text(std::string_view target) {
  return contains(text_columns, target);
}
bool is_tidy(const std::string& column) {
  return is_text(column) || contains(figure_columns, column) || is_known_axis(column);
}

struct Unit {
  std::string_view dimension, name;
  double size;  // in the smallest unit of the dimension, so that ratios are whole numbers
};

constexpr std::array units = {
    Unit{"frequency", "Hz", 1},    Unit{"frequency", "kHz", 1e3}, Unit{"frequency", "MHz", 1e6},
    Unit{"frequency", "GHz", 1e9}, Unit{"power", "mW", 1},        Unit{"power", "W", 1e3},
    Unit{"power", "kW", 1e6},      Unit{"time", "ns", 1},         Unit{"time", "us", 1e3},
    Unit{"time", "ms", 1e6},       Unit{"time", "s", 1e9},        Unit{"time", "min", 6e10},
};

const Unit* find_unit(std::string_view name) {
  const auto found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? nullptr : &*found;
}

// The unit a target counts in, by the end of its name.
const Unit* unit_of(std::string_view target) {
  if (target.ends_with("_mhz")) return find_unit("MHz");
  if (target.ends_with("_w")) return find_unit("W");
  if (target.ends_with("_ms")) return find_unit("ms");
  if (target.ends_with("_s")) return find_unit("s");
  return nullptr;
}

std::string units_like(const Unit& own) {
  std::vector<std::string> names;
  for (const Unit& unit : units)
    if (unit.dimension == own.dimension) names.emplace_back(unit.name);
  return join(names, ", ");
}

Error bad_clause(const std::string& clause, const std::string& complaint, const std::string& hint) {
  return {Code::invalid_argument, fmt::format("--map {}: {}", clause, complaint), hint};
}

Status set_unit(MapClause& map, const std::string& clause) {
  const Unit* own = unit_of(map.target);
  if (!own)
    return bad_clause(clause, fmt::format("'{}' has no unit", map.target),
                      fmt::format("leave ':{}' out; if the colon belongs to the column's name, "
                                  "write '{}:{}:'",
                                  map.unit, map.source, map.unit));
  const Unit* foreign = find_unit(map.unit);
  if (!foreign || foreign->dimension != own->dimension)
    return bad_clause(clause, fmt::format("'{}' is not a unit of {}", map.unit, own->dimension),
                      fmt::format("one of {}; a colon in the column's name needs one more at the "
                                  "end",
                                  units_like(*own)));
  map.multiply = std::max(1.0, foreign->size / own->size);
  map.divide = std::max(1.0, own->size / foreign->size);
  return {};
}

Status check_constant(MapClause& map, const std::string& clause) {
  if (map.target == "phase") {
    const auto phase = parse_phase(map.source);
    if (!phase) return bad_clause(clause, phase.error().message, phase.error().hint);
  }
  if (map.target == "provenance") {
    const auto known = parse_provenance(map.source);
    if (!known) return bad_clause(clause, known.error().message, known.error().hint);
  }
  if (is_text(map.target)) return {};
  const auto number = parse_double(map.source);
  if (!number || !std::isfinite(*number))
    return bad_clause(
        clause, fmt::format("'{}' is not a number", map.source),
        fmt::format("'{}' holds plain numbers; a column is mapped with one '='", map.target));
  return {};
}

Result<MapClause> parse_clause(const std::string& clause) {
  if (const std::string fault = text_fault(clause); !fault.empty())
    return bad_clause(clause, fault, "write names and values as UTF-8");
  const size_t equals = clause.find('=');
  MapClause map;
  map.target = std::string(trim(clause.substr(0, equals)));
  if (equals == std::string::npos || map.target.empty())
    return bad_clause(clause, "is not TARGET=COLUMN[:UNIT] or TARGET==VALUE",
                      "such as cpu_mhz=cpu_freq_khz:kHz or device==orin_agx");
  std::string source = clause.substr(equals + 1);
  map.constant = source.starts_with('=');
  if (map.constant) {
    map.source = std::string(trim(source.substr(1)));
    FLYBALL_CHECK(check_constant(map, clause));
    return map;
  }
  const size_t colon = source.rfind(':');
  if (colon != std::string::npos) {
    map.unit = std::string(trim(source.substr(colon + 1)));
    source.resize(colon);
  }
  map.source = std::string(trim(source));
  if (map.source.empty())
    return bad_clause(clause, "names no column", "write the column after the '='");
  if (!map.unit.empty()) FLYBALL_CHECK(set_unit(map, clause));
  return map;
}

// What one tidy column is made of: a clause, and the foreign column it reads (none: a constant).
struct Source {
  MapClause clause;
  std::optional<size_t> column;
};

Result<std::vector<Source>> find_sources(const Csv& csv, const ImportMap& map) {
  std::vector<Source> sources;
  for (const MapClause& clause : map) {
    const auto column = clause.constant ? std::nullopt : csv.column(clause.source);
    if (!clause.constant && !column) {
      return csv.missing(
          {Code::not_found, fmt::format("{} has no column '{}'", csv.name, clause.source),
           name_hint(clause.source, csv.header, "it has: " + join(csv.header, ", "))});
    }
    sources.push_back({clause, column});
  }
  for (size_t c = 0; c < csv.header.size(); ++c) {
    const bool given = std::ranges::any_of(
        map, [&](const MapClause& clause) { return clause.target == csv.header[c]; });
    if (given || !is_tidy(csv.header[c])) continue;
    MapClause as_it_is;
    as_it_is.target = as_it_is.source = csv.header[c];
    sources.push_back({as_it_is, c});
  }
  return sources;
}

// Text that is no number is left as it is: the table's own check names it.
std::string convert(const std::string& field, const MapClause& clause) {
  const auto value = parse_double(field);
  if (clause.unit.empty() || !value) return field;
  return format_number(*value * clause.multiply / clause.divide);
}

Csv tidy(const Csv& csv, const std::vector<Source>& sources) {
  Csv renamed;
  renamed.name = csv.name;
  renamed.header_line = csv.header_line;
  renamed.lines = csv.lines;
  for (const auto& [clause, column] : sources) {
    renamed.header.push_back(clause.target);
    renamed.titles.push_back(clause.constant ? clause.target : clause.source);
  }
  for (const std::vector<std::string>& row : csv.rows) {
    std::vector<std::string>& fields = renamed.rows.emplace_back();
    for (const auto& [clause, column] : sources)
      fields.push_back(column ? convert(row[*column], clause) : clause.source);
  }
  return renamed;
}

}  // namespace

Result<ImportMap> parse_import_map(const std::vector<std::string>& clauses) {
  ImportMap map;
  for (const std::string& text : clauses) {
    FLYBALL_ASSIGN(MapClause clause, parse_clause(text));
    if (std::ranges::find(map, clause.target, &MapClause::target) != map.end())
      return bad_clause(text, fmt::format("'{}' is given twice", clause.target),
                        "give each target once");
    map.push_back(std::move(clause));
  }
  return map;
}

namespace {

// "2149.6 and 900 ms", or "" where the readings of one figure agree.
std::string contradicting(const std::vector<double>& figures, std::span<const size_t> rows,
                          const char* unit) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const size_t row : rows) {
    if (std::isnan(figures[row])) continue;
    least = std::min(least, figures[row]);
    most = std::max(most, figures[row]);
  }
  return most > contradiction * least ? fmt::format("{:.5g} and {:.5g} {}", least, most, unit) : "";
}

void note_contradictions(const WorkloadTable& table, std::vector<std::string>& notes) {
  std::map<std::vector<double>, std::vector<size_t>> repeats;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto row = table.space.row(i);
    repeats[{row.begin(), row.end()}].push_back(i);
  }
  size_t count = 0;
  std::string first;
  for (const auto& [config, all] : repeats) {
    const std::vector<size_t> rows = best_known(table, all).rows;
    std::string differ = contradicting(table.minibatch_ms, rows, "ms");
    if (differ.empty()) differ = contradicting(table.power_w, rows, "W");
    if (differ.empty()) continue;
    if (count++ == 0)
      first = fmt::format("{}: {}", describe(table.space.settings(rows.front())), differ);
  }
  if (count > 0)
    notes.push_back(fmt::format(
        "{}: rows of {} configuration{} contradict each other ({}{}); their median counts",
        table.title(), count, count == 1 ? "" : "s", first, count == 1 ? "" : ", …"));
}

Result<Imported> take_columns(const Csv& csv, const ImportMap& map) {
  Imported imported;
  if (map.empty()) {
    FLYBALL_ASSIGN(imported.table, parse_table(csv));
    std::ranges::copy_if(csv.header, std::back_inserter(imported.ignored_columns), is_passed_over);
    std::vector<Axis> axes;
    for (const WorkloadTable& workload : imported.table.workloads)
      axes.insert(axes.end(), workload.space.axes().begin(), workload.space.axes().end());
    if (std::string note = unknown_axes_note(axes); !note.empty())
      imported.notes.push_back(std::move(note));
    return imported;
  }
  FLYBALL_ASSIGN(const std::vector<Source> sources, find_sources(csv, map));
  FLYBALL_ASSIGN(imported.table, parse_table(tidy(csv, sources)));
  for (size_t c = 0; c < csv.header.size(); ++c)
    if (std::ranges::none_of(sources, [&](const Source& source) { return source.column == c; }))
      imported.ignored_columns.push_back(csv.header[c]);
  return imported;
}

}  // namespace

Result<Imported> import_table(const Csv& csv, const ImportMap& map) {
  FLYBALL_ASSIGN(Imported imported, take_columns(csv, map));
  for (const WorkloadTable& table : imported.table.workloads)
    note_contradictions(table, imported.notes);
  return imported;
}

Result<Imported> import_table(const std::filesystem::path& path, const ImportMap& map) {
  FLYBALL_ASSIGN(const Csv csv, read_csv(path));
  return import_table(csv, map);
}

}  // namespace flyball
