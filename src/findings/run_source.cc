#include "findings/run_source.h"

#include <fmt/format.h>

#include "base/text.h"

namespace flyball {
namespace {

std::string axes_of(const PowerMode& mode) {
  std::vector<std::string> axes;
  for (const auto& [name, value] : mode.values) axes.push_back(fmt::format("{}={:g}", name, value));
  return axes.empty() ? "MAXN" : join(axes, ",");
}

void set_state(const FindingSetting& setting, RunSettings& run) {
  run.state = setting.state == "logging"     ? "sampling"
              : setting.state == "suspended" ? "suspended"
                                             : "idle";
  run.dvfs = setting.state == "free" ? "on" : "off";
}

}  // namespace

bool asks_other_storage(const PublishedStudy& study, const FindingSetting& setting) {
  const auto usual = study.boards.find(setting.board);
  return !setting.storage.empty() && usual != study.boards.end() &&
         setting.storage != usual->second.storage;
}

FindingSetting run_of(FindingSetting setting) {
  setting.first = false;
  return setting;
}

ExperimentSpec experiment_of(const PublishedStudy& study, const FindingSetting& setting,
                             int epochs) {
  ExperimentSpec spec;
  spec.name = spec.title = "findings";
  RunSettings& run = spec.fixed;
  if (!setting.workload.empty()) run.workload = setting.workload;
  run.batch_size = static_cast<int64_t>(setting.batch);
  run.workers = static_cast<int>(setting.workers);
  run.epochs = epochs;
  run.clear = setting.dropped ? Clear::epoch : Clear::start;
  run.power_mode = setting.mode;
  run.dvfs = setting.governors ? "on" : "off";
  if (!setting.state.empty()) set_state(setting, run);
  // At rest it is the module's own power that is asked for, else that at the wall.
  if (!setting.state.empty() && setting.state != state_at_rest) spec.question = Question::base_load;
  if (!setting.storage.empty()) {
    run.medium = setting.storage;
    spec.media = {{.name = setting.storage, .folder = {}, .read_mb_s = 0}};
  }
  for (const auto& [name, mode] : study.modes) spec.modes[name] = axes_of(mode);
  return spec;
}

}  // namespace flyball
