#include "space/logger_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/folder_entries.h"
#include "base/statistics.h"
#include "base/text.h"
#include "space/published_names.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* mode_prefix = "pm_";
constexpr double settle_s = 3;     // that power takes after a change of load
constexpr size_t least_power = 3;  // readings that a mean is made of
constexpr int deepest = 4;         // folders below one that is named

/// In kHz or Hz as the folders' names have them, to MHz.
struct NamedSetting {
  const char* column;
  double divide;
};
constexpr std::array mode_settings = {NamedSetting{"cpu_cores", 1}, NamedSetting{"cpu_mhz", 1e3},
                                      NamedSetting{"gpu_mhz", 1e6}, NamedSetting{"mem_mhz", 1e6}};
using ModeSettings = std::array<double, mode_settings.size()>;

Result<ModeSettings> parse_mode(const fs::path& folder) {
  const auto pieces = split(folder.filename().string(), '_');
  ModeSettings settings{};
  bool whole = pieces.size() == settings.size() + 1;
  for (size_t i = 0; whole && i < settings.size(); ++i) {
    const auto value = parse_integer(pieces[i + 1]);
    whole = value && *value > 0;
    if (whole) settings[i] = static_cast<double>(*value) / mode_settings[i].divide;
  }
  if (whole) return settings;
  return Error{Code::corrupt, fmt::format("{} is no power mode", folder.string()),
               "folders of modes are called pm_CORES_CPUKHZ_GPUHZ_MEMHZ"};
}

std::vector<double> settled_w(const LoggerRun& run, double from_s) {
  std::vector<double> watts;
  for (const LoggedPower& reading : run.power)
    if (reading.time_s >= from_s && reading.time_s <= run.minibatches.back().end_s)
      watts.push_back(reading.power_w);
  return watts;
}

void add_constant(ImportMap& map, std::string_view target, std::string_view value) {
  if (value.empty() || std::ranges::find(map, target, &MapClause::target) != map.end()) return;
  MapClause clause;
  clause.target = target;
  clause.source = value;
  clause.constant = true;
  map.push_back(std::move(clause));
}

// By the folder's own name first, then by those above it.
void add_known(const fs::path& folder, ImportMap& map) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(folder, ignored).lexically_normal();
  add_constant(map, "workload", published_network(whole, Phase::train));
  add_constant(map, "device", published_board(whole));
  add_constant(map, "phase", "train");
  add_constant(map, "batch_size", "16");
}

Status check_map(const fs::path& folder, const ImportMap& map) {
  for (const char* target : {"workload", "device"})
    if (std::ranges::find(map, target, &MapClause::target) == map.end())
      return Error{
          Code::invalid_argument,
          fmt::format("{}: its name does not say the {}", folder.string(), target),
          fmt::format("the published ones are called Orin-nano2/runs/ResNet and so on; for "
                      "another one give --map {}==VALUE",
                      target)};
  return {};
}

// Nothing: it was not measured, or without power.
Result<std::optional<LoggedFigures>> read_mode(const fs::path& folder, size_t& cut_lines) {
  const auto runs = read_logger_folder(folder, LoggerParts::minibatches_and_power);
  if (!runs && (runs.error().code == Code::not_found || runs.error().code == Code::unavailable))
    return std::optional<LoggedFigures>();
  if (!runs) return runs.error();
  if (runs->size() > 1)
    return Error{Code::corrupt, fmt::format("{} holds {} runs", folder.string(), runs->size()),
                 "a table has one run of each mode: leave the others out"};
  std::optional<LoggedFigures> figures = logged_figures(runs->front());
  cut_lines += runs->front().cut_lines;
  if (figures && !figures->power_w) figures.reset();
  return figures;
}

std::string as_text(double value) {
  return fmt::format("{}", value);
}

}  // namespace

std::optional<PowerMode> logged_mode(const fs::path& folder) {
  if (!folder.filename().string().starts_with(mode_prefix)) return {};
  const auto settings = parse_mode(folder);
  if (!settings) return {};
  PowerMode mode;
  for (size_t i = 0; i < mode_settings.size(); ++i)
    mode.values[mode_settings[i].column] = (*settings)[i];
  return mode;
}

std::optional<LoggedFigures> logged_figures(const LoggerRun& run) {
  if (run.minibatches.size() < 2) return {};
  std::vector<double> ms;
  for (size_t i = 1; i < run.minibatches.size(); ++i) ms.push_back(run.minibatches[i].minibatch_ms);
  LoggedFigures figures{.minibatch_ms = median(ms), .power_w = {}};
  const double warm_s = run.minibatches.front().end_s;
  std::vector<double> watts = settled_w(run, warm_s + settle_s);
  if (watts.size() < least_power) watts = settled_w(run, warm_s);  // a short run
  if (!watts.empty()) figures.power_w = mean(watts);
  return figures;
}

bool holds_logged_modes(const fs::path& folder) {
  return std::ranges::any_of(folder_entries(folder, mode_prefix), [](const fs::path& entry) {
    std::error_code ignored;
    return fs::is_directory(entry, ignored);
  });
}

std::vector<fs::path> logged_modes_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code problem;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         problem);
  for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    std::error_code unread;
    if (!entry->is_directory(unread)) continue;
    if (entry.depth() >= deepest) entry.disable_recursion_pending();
    if (!holds_logged_modes(entry->path())) continue;
    found.push_back(entry->path());
    entry.disable_recursion_pending();  // the modes themselves
  }
  std::ranges::sort(found);
  return found;
}

Result<Imported> import_logged_modes(const fs::path& folder, const ImportMap& given) {
  if (!holds_logged_modes(folder)) {
    std::vector<std::string> below;
    for (const fs::path& one : logged_modes_below(folder)) below.push_back(one.string());
    return Error{
        Code::not_found, fmt::format("{} holds no folder {}*", folder.string(), mode_prefix),
        below.empty() ? "name the folder of one network's modes, such as Orin-nano2/runs/ResNet"
                      : fmt::format("import these below it one by one: {}", join(below, ", "))};
  }
  ImportMap map = given;
  add_known(folder, map);
  FLYBALL_CHECK(check_map(folder, map));
  std::map<ModeSettings, LoggedFigures> measured;
  size_t left_out = 0, cut = 0;
  for (const fs::path& mode : folder_entries(folder, mode_prefix)) {
    FLYBALL_ASSIGN(const ModeSettings settings, parse_mode(mode));
    FLYBALL_ASSIGN(const std::optional<LoggedFigures> figures, read_mode(mode, cut));
    left_out += !figures;
    if (figures) measured[settings] = *figures;
  }
  Csv csv;
  csv.name = folder.string();
  for (const NamedSetting& setting : mode_settings) csv.header.emplace_back(setting.column);
  csv.header.insert(csv.header.end(), {"minibatch_ms", "power_w"});
  for (const auto& [settings, figures] : measured) {
    std::vector<std::string> row;
    for (const double value : settings) row.push_back(as_text(value));
    row.push_back(as_text(figures.minibatch_ms));
    row.push_back(as_text(*figures.power_w));
    csv.rows.push_back(std::move(row));
    csv.lines.push_back(1);
  }
  if (csv.rows.empty())
    return Error{Code::corrupt, fmt::format("{} holds no measured mode", folder.string()),
                 "a mode needs two minibatches, and power while they ran"};
  FLYBALL_ASSIGN(Imported imported, import_table(csv, map));
  if (left_out > 0)
    imported.notes.push_back(
        fmt::format("{} mode{} without a second minibatch or without power {} left out", left_out,
                    left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are"));
  if (cut > 0)
    imported.notes.push_back(fmt::format("{} log{} end{} within a line, which is left out", cut,
                                         cut == 1 ? "" : "s", cut == 1 ? "s" : ""));
  return imported;
}

}  // namespace flyball
