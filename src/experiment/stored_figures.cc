#include "experiment/stored_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/files.h"
#include "base/json.h"
#include "base/json_line.h"
#include "base/os/file_version.h"
#include "experiment/fingerprint.h"
#include "experiment/run_lines.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
// They have columns of their own.
constexpr const char* columns[] = {"settings", "repeat", "device", "fingerprint", "conditions"};

Result<RunFigures> figures_of(const ExperimentRun& row) {
  Json json = Json::parse(row.figures, nullptr, false);
  if (!json.is_object()) json = Json::object();
  json["settings"] = Json::parse(row.settings, nullptr, false);
  json["repeat"] = row.repeat;
  json["device"] = row.device;
  json["fingerprint"] = row.fingerprint;
  json["conditions"] = or_null(row.conditions);
  auto figures = parse_run(json);
  if (figures) return figures;
  const int64_t run = row.run.value_or(0);
  return Error{Code::corrupt,
               fmt::format("run {} of the store holds a damaged run of an experiment: {}", run,
                           figures.error().message),
               fmt::format("`flyball runs delete {}` forgets it", run)};
}

Result<TakenIn> take_in(Store& store, const fs::path& file, const std::string& command,
                        const std::string& device, LastLine last,
                        const std::function<void(RunFigures&)>& complete) {
  FLYBALL_ASSIGN(const std::string text, read_file(file));
  // How many lines there are stands before it, so that a file that is there need not be parsed.
  const std::string content =
      fmt::format(" runs of an experiment, content {:016x}", content_hash(text));
  FLYBALL_ASSIGN(std::vector<StoredRun> runs, store.runs());
  for (StoredRun& run : runs)
    if (run.request.fingerprint.ends_with(content)) return TakenIn{std::move(run), true};
  FLYBALL_ASSIGN(std::vector<RunFigures> lines, parse_run_lines(text, file.string(), last));
  if (lines.empty() && last == LastLine::whole)
    return Error{Code::invalid_argument, fmt::format("{} holds no runs", file.string()),
                 "`flyball export --run N` writes those of an experiment"};
  std::vector<ExperimentRun> rows;
  for (RunFigures& line : lines) {
    if (line.device.empty()) line.device = device;
    complete(line);
    rows.push_back(row_of(line));
  }
  const RunRequest request{command, Json{{"import", "runs of an experiment"}}.dump(), device,
                           fmt::format("{}{}", lines.size(), content), 0};
  FLYBALL_ASSIGN(const int64_t run, store.add_experiment(request, rows));
  FLYBALL_ASSIGN(StoredRun added, store.run(run));
  return TakenIn{std::move(added), false};
}

}  // namespace

std::string run_key(const RunSettings& settings, int repeat) {
  return fmt::format("{} {}", settings_json(settings).dump(), repeat);
}

ExperimentRun row_of(const RunFigures& figures) {
  Json json = run_json(figures);
  ExperimentRun row{.device = figures.device,
                    .fingerprint = figures.fingerprint,
                    .conditions = figures.conditions,
                    .settings = json_line(json["settings"]),
                    .repeat = figures.repeat};
  for (const char* column : columns) json.erase(column);
  row.figures = json_line(json);
  return row;
}

Result<std::vector<StoredFigures>> stored_figures(Store& store, const ExperimentRunFilter& filter) {
  FLYBALL_ASSIGN(const auto rows, store.experiment_runs(filter));
  std::vector<StoredFigures> all;
  for (const ExperimentRun& row : rows) {
    FLYBALL_ASSIGN(RunFigures figures, figures_of(row));
    const std::string key = run_key(figures.settings, figures.repeat);
    const std::string conditions = with_conditions(figures.fingerprint, figures.conditions);
    all.push_back({row.id, row.run, row.reused, std::move(figures), key, conditions});
  }
  if (!filter.run)
    std::ranges::stable_sort(all, {},
                             [](const StoredFigures& one) { return one.figures.started_utc; });
  return all;
}

Result<TakenIn> take_in_lines(Store& store, const fs::path& file, const std::string& command) {
  return take_in(store, file, command, "unknown", LastLine::whole, [](RunFigures&) {});
}

Result<TakenIn> take_in_results(Store& store, const fs::path& file, const std::string& command,
                                const std::string& device, const fs::path& out) {
  return take_in(store, file, command, device, LastLine::may_be_cut, [&](RunFigures& line) {
    const bool drawn = line.fingerprint.find("; data /") == std::string::npos;
    if (line.conditions && drawn) line.conditions->merge(drawn_in(out));
  });
}

}  // namespace flyball
