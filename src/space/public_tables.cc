#include "space/public_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "space/logger_table.h"
#include "space/published_names.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

struct Known {
  std::string_view file, target, value;
};

// What the authors' file names stand for.
constexpr std::array bofl_files = {
    Known{"CIFAR10", "workload", "vit_b16"},
    Known{"CIFAR10", "batch_size", "32"},
    Known{"ImageNet", "workload", "resnet50"},
    Known{"ImageNet", "batch_size", "8"},
    Known{"IMDB", "workload", "bilstm"},
    Known{"IMDB", "batch_size", "8"},
    Known{"AGX", "device", "xavier_agx"},
    Known{"AGX", "cpu_cores", "8"},
    Known{"TX2", "device", "tx2"},
    Known{"TX2", "cpu_cores", "6"},
};

MapClause constant(std::string_view target, std::string_view value) {
  MapClause clause;
  clause.target = target;
  clause.source = value;
  clause.constant = true;
  return clause;
}

bool gives(const ImportMap& map, std::string_view target) {
  return std::ranges::find(map, target, &MapClause::target) != map.end();
}

// `known` for each target that the user did not give.
void add(ImportMap& map, const MapClause& known) {
  if (!gives(map, known.target)) map.push_back(known);
}

Status check_constants(const ImportMap& map) {
  for (const MapClause& clause : map)
    if (!clause.constant)
      return Error{
          Code::invalid_argument,
          fmt::format("--map {}={}: this format knows its columns", clause.target, clause.source),
          "give constants alone, such as workload==mynet, or leave --format out"};
  return {};
}

Error unknown_name(const fs::path& file, std::string_view lacking, const std::string& usual) {
  return {Code::invalid_argument,
          fmt::format("{}: its name does not say the {}", file.string(), lacking),
          fmt::format("the published ones are called {}; for another one give --map {}==VALUE",
                      usual, lacking)};
}

Status check_given(const ImportMap& map, std::initializer_list<const char*> targets,
                   const fs::path& file, const std::string& usual) {
  for (const char* target : targets)
    if (!gives(map, target)) return unknown_name(file, target, usual);
  return {};
}

// "77.5 and 99": figures of two rows of which one must be wrong; "" where they agree.
std::string contradicting(const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const std::vector<size_t>& figures) {
  for (const size_t column : figures) {
    const double one = parse_double(a[column]).value_or(0),
                 other = parse_double(b[column]).value_or(0);
    if (std::max(one, other) > contradiction * std::min(one, other))
      return fmt::format("{} and {}", a[column], b[column]);
  }
  return "";
}

std::string counted_rows(size_t count) {
  return fmt::format("{} row{}", count, count == 1 ? "" : "s");
}

// Without rows that repeat a configuration, or in which a figure is missing.
Status leave_out(Csv& csv, const std::vector<size_t>& settings, const std::vector<size_t>& figures,
                 std::vector<std::string>& notes) {
  std::map<std::vector<std::string>, size_t> seen;  // the row that is kept of each
  size_t repeats = 0, contradictions = 0, empty = 0, kept = 0;
  std::string first_contradiction;
  const auto missing = [](const std::string& field) {
    const auto value = parse_double(field);
    return trim(field).empty() || (value && *value == 0);
  };
  for (size_t i = 0; i < csv.rows.size(); ++i) {
    std::vector<std::string> key;
    bool whole = true;
    for (const size_t column : settings) {
      whole = whole && !missing(csv.rows[i][column]);
      key.push_back(csv.rows[i][column]);
    }
    for (const size_t column : figures) whole = whole && !missing(csv.rows[i][column]);
    empty += !whole;
    if (!whole) continue;
    const auto [found, first] = seen.try_emplace(key, kept);
    repeats += !first;
    if (!first) {
      const std::string differ = contradicting(csv.rows[found->second], csv.rows[i], figures);
      if (!differ.empty() && contradictions++ == 0)
        first_contradiction = fmt::format("line {}: {}", csv.lines[i], differ);
      continue;
    }
    if (kept != i) {
      csv.rows[kept] = std::move(csv.rows[i]);
      csv.lines[kept] = csv.lines[i];
    }
    ++kept;
  }
  csv.rows.resize(kept);
  csv.lines.resize(kept);
  if (empty > 0)
    notes.push_back(fmt::format("{} with an empty field or a zero {} left out", counted_rows(empty),
                                empty == 1 ? "is" : "are"));
  if (repeats > 0)
    notes.push_back(fmt::format("{} repeat{} a configuration: its first row counts",
                                counted_rows(repeats), repeats == 1 ? "s" : ""));
  if (contradictions > 0)
    notes.push_back(fmt::format("{} of these contradict{} it ({}{})", contradictions,
                                contradictions == 1 ? "s" : "", first_contradiction,
                                contradictions == 1 ? "" : ", …"));
  if (kept == 0)
    return Error{Code::corrupt, fmt::format("{} holds no whole row", csv.name), "look at the file"};
  return {};
}

Result<Imported> read_powertrain(const std::string& text, const fs::path& file,
                                 const ImportMap& given) {
  FLYBALL_ASSIGN(Csv csv, parse_csv(text, file.string()));
  ImportMap map = given;
  const std::string stem = file.stem().string();
  for (const Phase phase : {Phase::train, Phase::infer}) {
    const std::string network = network_called(stem, phase);
    if (network.empty() || stem.find(fmt::format("_{}", phase_name(phase))) == std::string::npos)
      continue;
    add(map, constant("workload", network));
    add(map, constant("phase", phase_name(phase)));
  }
  add(map, constant("device", "orin_agx"));
  FLYBALL_CHECK(
      check_given(map, {"workload", "phase"}, file, "resnet_train_data_final.csv and so on"));
  std::vector<std::string> columns = {"cpu_cores=cores", "cpu_mhz=cpu:kHz", "gpu_mhz=gpu:Hz",
                                      "mem_mhz=mem:Hz"};
  if (csv.column("bs"))
    columns.emplace_back("batch_size=bs");
  else
    add(map, constant("batch_size", "16"));
  const size_t settings = columns.size();
  columns.insert(columns.end(), {"minibatch_ms=observed_time:ms", "power_w=observed_power:W"});
  FLYBALL_ASSIGN(const ImportMap known, parse_import_map(columns));
  std::vector<size_t> setting_columns, figure_columns;
  for (size_t i = 0; i < known.size(); ++i) {
    add(map, known[i]);
    const auto column = csv.column(known[i].source);
    if (!column)
      return Error{Code::corrupt, fmt::format("{} has no column '{}'", csv.name, known[i].source),
                   "a powertrain table has cores, cpu, gpu, mem, observed_time, observed_power"};
    (i < settings ? setting_columns : figure_columns).push_back(*column);
  }
  std::vector<std::string> notes;
  FLYBALL_CHECK(leave_out(csv, setting_columns, figure_columns, notes));
  FLYBALL_ASSIGN(Imported imported, import_table(csv, map));
  imported.notes.insert(imported.notes.begin(), notes.begin(), notes.end());
  return imported;
}

// One entry as a row: cpu_mhz, gpu_mhz, mem_mhz, minibatch_ms, power_w.
Result<std::vector<std::string>> bofl_row(const std::string& name, const std::string& key,
                                          const Json& value) {
  const Error bad{Code::corrupt,
                  fmt::format("{}: entry '{}' is not \"cpu_khz,gpu_hz,emc_hz\": [seconds, joules]",
                              name, text_fault(key).empty() ? key.substr(0, 60) : "?"),
                  "all of them positive numbers"};
  std::vector<double> figures;
  for (const std::string& piece : split(key, ','))
    figures.push_back(parse_double(piece).value_or(0));
  if (figures.size() != 3 || !value.is_array() || value.size() != 2) return bad;
  for (const auto& number : value) figures.push_back(number.is_number() ? number.get<double>() : 0);
  for (const double figure : figures)
    if (!std::isfinite(figure) || figure <= 0) return bad;
  return std::vector<std::string>{
      fmt::format("{}", figures[0] / 1e3), fmt::format("{}", figures[1] / 1e6),
      fmt::format("{}", figures[2] / 1e6), fmt::format("{}", figures[3] * 1e3),
      fmt::format("{}", figures[4] / figures[3])};
}

Result<Imported> read_bofl(const std::string& text, const fs::path& file, const ImportMap& given) {
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.empty())
    return Error{Code::corrupt,
                 fmt::format("{} is no JSON object of configurations", file.string()),
                 "\"cpu_khz,gpu_hz,emc_hz\": [seconds, joules]"};
  ImportMap map = given;
  for (const Known& known : bofl_files)
    if (file.stem() == known.file || file.parent_path().filename() == known.file ||
        fs::absolute(file).parent_path().filename() == known.file)
      add(map, constant(known.target, known.value));
  add(map, constant("phase", "train"));
  FLYBALL_CHECK(check_given(map, {"workload", "batch_size", "device", "cpu_cores"}, file,
                            "AGX/CIFAR10.json, TX2/IMDB.json and so on"));
  Csv csv;
  csv.name = file.string();
  csv.header = {"cpu_mhz", "gpu_mhz", "mem_mhz", "minibatch_ms", "power_w"};
  for (const auto& [key, value] : json.items()) {
    FLYBALL_ASSIGN(std::vector<std::string> row, bofl_row(csv.name, key, value));
    csv.rows.push_back(std::move(row));
    csv.lines.push_back(1);
  }
  return import_table(csv, map);
}

}  // namespace

const std::vector<PublicFormat>& public_formats() {
  static const std::vector<PublicFormat> formats = {
      {"powertrain", "the CSV files of PowerTrain and Fulcrum", read_powertrain, nullptr},
      {"powertrain-logs", "a folder of PowerTrain's logs, pm_* for each mode", nullptr,
       import_logged_modes},
      {"bofl", "the JSON files of BoFL", read_bofl, nullptr},
  };
  return formats;
}

Result<Imported> import_public(const std::string& format, const fs::path& file,
                               const ImportMap& map) {
  const auto found = std::ranges::find(public_formats(), format, &PublicFormat::name);
  if (found == public_formats().end())
    return Error{Code::invalid_argument, fmt::format("there is no format '{}'", format),
                 "one of: tidy, powertrain, powertrain-logs, bofl, experiment, tegrastats"};
  FLYBALL_CHECK(check_constants(map));
  if (found->read_folder) return found->read_folder(file, map);
  FLYBALL_ASSIGN(const std::string text, read_file(file));
  return found->read(text, file, map);
}

}  // namespace flyball
