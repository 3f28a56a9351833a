#include "experiment/run_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "device/modes/mode.h"
#include "device/modes/presets.h"
#include "experiment/suspend.h"
#include "profile/trials/mode_watch.h"

namespace flyball {
namespace {

constexpr double settle_s = 1;  // at least, and until the clocks read as asked

/// What stands behind a run's power_mode: axes, else a preset's name.
struct Asked {
  PowerMode mode{};
  std::string preset{};
};

Result<Asked> asked_of(const ExperimentSpec& spec, const std::string& name) {
  if (name.empty()) return Asked{};
  const auto named = spec.modes.find(name);
  const std::string& text = named == spec.modes.end() ? name : named->second;
  if (text.find('=') == std::string::npos) return Asked{.mode = {}, .preset = text};
  FLYBALL_ASSIGN(PowerMode mode, parse_mode(text));
  return Asked{.mode = std::move(mode), .preset = ""};
}

bool is_clock(const Axis& axis) {
  return axis.unit == "MHz";
}

Error missing(const ExperimentSpec& spec, const std::string& what, const std::string& knob,
              const BoardDevice& device) {
  std::string why;
  for (const AxisGap& gap : device.gaps())
    if (knob.empty() || gap.concerns(knob)) why += "; " + gap.text();
  return {Code::unavailable,
          fmt::format("experiment {} changes {}, and this machine has no knob for it{}", spec.name,
                      what, why),
          "`flyball doctor` says what can be set here, and what each axis lacks"};
}

Status check_axes(const ExperimentSpec& spec, const PowerMode& mode, const BoardDevice& device) {
  for (const auto& [axis, value] : mode.values) {
    const Knob* knob = device.find(axis);
    if (!knob) return missing(spec, axis, axis, device);
    if (const Status rights = knob->settable(); !rights.ok())
      return missing(spec, fmt::format("{} ({})", axis, rights.error().message), axis, device);
  }
  for (const auto& [axis, value] : mode.values)
    FLYBALL_CHECK(check_value(device.find(axis)->axis(), value));
  return {};
}

// A clock that may be set, where the run pins them or lets them free.
Status check_clocks(const ExperimentSpec& spec, const BoardDevice& device) {
  const bool any = std::ranges::any_of(device.knobs(), [](const KnobPtr& knob) {
    return is_clock(knob->axis()) && knob->settable().ok();
  });
  return any ? Status() : missing(spec, "DVFS", "", device);
}

}  // namespace

Status RunBoard::check(const ExperimentSpec& spec) const {
  const Presets presets = read_presets(root_, *device_);
  for (const RunSettings& run : spec.runs()) {
    if (run.state == "suspended") FLYBALL_CHECK(check_suspend(root_));
    FLYBALL_ASSIGN(const Asked asked, asked_of(spec, run.power_mode));
    FLYBALL_CHECK(check_axes(spec, asked.mode, *device_));
    if (!asked.preset.empty()) {
      const auto found = find_preset(presets, asked.preset);
      if (!found)
        return missing(spec, fmt::format("power modes ({})", found.error().message), "", *device_);
    }
    if (!run.dvfs.empty()) FLYBALL_CHECK(check_clocks(spec, *device_));
  }
  return {};
}

Status RunBoard::prepare(const ExperimentSpec& spec, const RunSettings& run) {
  const std::string wanted =
      run.power_mode.empty() && run.dvfs.empty() ? "" : run.power_mode + "; dvfs " + run.dvfs;
  if (wanted == set_) return {};
  FLYBALL_CHECK(restore());
  if (wanted.empty()) return {};
  const Status status = set(spec, run);
  if (status.ok()) {
    set_ = wanted;
    return {};
  }
  const Status undone = restore();
  return undone.ok() ? status.error() : status.error().within(undone.error().message);
}

Status RunBoard::set(const ExperimentSpec& spec, const RunSettings& run) {
  FLYBALL_ASSIGN(const Asked asked, asked_of(spec, run.power_mode));
  FLYBALL_CHECK(device_->claim());
  if (!asked.preset.empty()) {
    const Presets presets = read_presets(root_, *device_);
    FLYBALL_ASSIGN(const Preset* preset, find_preset(presets, asked.preset));
    FLYBALL_CHECK(set_preset(*preset, root_, *device_));
  }
  if (run.dvfs == "on") return free_clocks(asked.mode);
  PowerMode mode = asked.mode;
  if (run.dvfs == "off")  // what the mode leaves open is pinned at its cap
    for (const auto& [axis, cap] : device_->caps().values)
      if (const Knob* knob = device_->find(axis);
          is_clock(knob->axis()) && knob->settable().ok() && !mode.values.contains(axis))
        mode.values[axis] = cap;
  FLYBALL_CHECK(device_->apply(mode));
  settle(*device_, mode, settle_s);
  return {};
}

// The mode's clocks are caps then; others keep theirs, and are free below them.
Status RunBoard::free_clocks(const PowerMode& mode) {
  PowerMode cores;
  if (const auto count = mode.values.find(axis::cpu_cores); count != mode.values.end())
    cores.values.insert(*count);
  FLYBALL_CHECK(device_->apply(cores));
  for (const KnobPtr& knob : device_->knobs()) {
    const std::string& name = knob->axis().name;
    if (!is_clock(knob->axis()) || !knob->settable().ok()) continue;
    const auto asked = mode.values.find(name);
    FLYBALL_ASSIGN(const double cap, asked == mode.values.end() ? knob->cap() : asked->second);
    const auto& values = knob->axis().values;
    // A cap between two listed values is left as it is.
    if (asked == mode.values.end() && std::ranges::count(values, cap) == 0) continue;
    FLYBALL_CHECK(knob->set(values.front(), cap, device_->journal()));
  }
  settle(*device_, {}, settle_s);
  return {};
}

Status RunBoard::restore() {
  if (set_.empty()) return device_->restore();
  set_.clear();
  return device_->restore();
}

}  // namespace flyball
