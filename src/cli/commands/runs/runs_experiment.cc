#include "cli/commands/runs/runs_experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

// Settings that are not the same in all of them.
std::vector<std::string> varied(const std::vector<StoredFigures>& runs) {
  const auto first = settings_json(runs.front().figures.settings);
  std::vector<std::string> names;
  for (const auto& [name, value] : first.items())
    if (std::ranges::any_of(runs, [&, &key = name, &same = value](const StoredFigures& one) {
          return settings_json(one.figures.settings)[key] != same;
        }))
      names.push_back(name);
  return names;
}

std::string also_known(const StoredFigures& one) {
  std::vector<std::string> words;
  if (one.reused) words.push_back(one.run ? fmt::format("of run {}", *one.run) : "reused");
  if (!one.figures.disturbed.empty()) words.push_back("beside " + one.figures.disturbed);
  return words.empty() ? "-" : join(words, "; ");
}

}  // namespace

void print_experiment_runs(const std::vector<StoredFigures>& runs) {
  const std::vector<std::string> names = varied(runs);
  TextTable table(
      {"setting", "repeat", "started", "epochs", "E2E s", "stall s", "energy J", "also known"});
  for (const StoredFigures& one : runs) {
    double e2e_s = 0, stall_s = 0;
    std::optional<double> energy_j = 0;
    for (const EpochFigures& epoch : one.figures.epochs) {
      e2e_s += epoch.e2e_s;
      stall_s += epoch.stall_s;
      energy_j =
          energy_j && epoch.energy_j ? std::optional(*energy_j + *epoch.energy_j) : std::nullopt;
    }
    table.add({settings_label(names, one.figures.settings),
               fmt::format("{}", one.figures.repeat + 1), one.figures.started_utc,
               fmt::format("{}", one.figures.epochs.size()), number(e2e_s), number(stall_s),
               energy_j ? number(*energy_j) : "-", also_known(one)});
  }
  fmt::print("{}", table.str());
}

}  // namespace flyball::cli
