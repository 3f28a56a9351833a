#include "device/modes/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "device/knobs/clock_range.h"
#include "device/modes/mode.h"
#include "device/modes/nvpmodel_conf.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Which axis a file belongs to, told by the file: names of PARAMs differ from release to release.
enum class ClockKind { core, cpu_min, cpu_max, gpu_min, gpu_max, memory, other };

ClockKind kind_of(const NvpmodelSetting& setting) {
  const std::string_view path = setting.path;
  if (path.find("..") != std::string_view::npos) return ClockKind::other;
  if (path.starts_with("/sys/devices/system/cpu/")) {
    if (path.ends_with("/online")) return ClockKind::core;
    if (path.ends_with("/scaling_min_freq")) return ClockKind::cpu_min;
    if (path.ends_with("/scaling_max_freq")) return ClockKind::cpu_max;
  }
  if (setting.param.starts_with("GPU") && path.starts_with("/sys/")) {
    if (path.ends_with("/min_freq")) return ClockKind::gpu_min;
    if (path.ends_with("/max_freq")) return ClockKind::gpu_max;
  }
  if (setting.param == "EMC" && setting.argument == "MAX_FREQ") return ClockKind::memory;
  return ClockKind::other;
}

constexpr double khz_per_mhz = 1e3, hz_per_mhz = 1e6;

// −1 is the highest; 0 the lowest minimum, or no cap. Nothing for what is no number.
std::optional<double> clock_of(const NvpmodelSetting& setting, const std::vector<double>& values) {
  const auto number = parse_double(setting.value);
  if (!number || !std::isfinite(*number) || values.empty()) return {};
  if (*number < 0) return values.back();
  const ClockKind kind = kind_of(setting);
  const bool cpu = kind == ClockKind::cpu_min || kind == ClockKind::cpu_max;
  if (*number == 0)
    return kind == ClockKind::cpu_min || kind == ClockKind::gpu_min ? values.front()
                                                                    : values.back();
  return *number / (cpu ? khz_per_mhz : hz_per_mhz);
}

const std::vector<double>& values_of(const BoardDevice& board, const char* axis) {
  static const std::vector<double> none;
  const Knob* knob = board.find(axis);
  return knob ? knob->axis().values : none;
}

const char* axis_of(ClockKind kind) {
  switch (kind) {
    case ClockKind::core:
      return axis::cpu_cores;
    case ClockKind::cpu_min:
    case ClockKind::cpu_max:
      return axis::cpu_mhz;
    case ClockKind::gpu_min:
    case ClockKind::gpu_max:
      return axis::gpu_mhz;
    case ClockKind::memory:
      return axis::mem_mhz;
    case ClockKind::other:
      break;
  }
  return "";
}

Preset preset_of(const NvpmodelMode& mode, const BoardDevice& board) {
  Preset preset{.id = mode.id, .name = mode.name, .settings = mode.settings};
  auto& values = preset.mode.values;
  for (const NvpmodelSetting& setting : mode.settings) {
    const ClockKind kind = kind_of(setting);
    const char* axis = axis_of(kind);
    if (kind == ClockKind::other || !board.find(axis)) {
      preset.left_out.push_back(setting.param + " " + setting.argument);
    } else if (kind == ClockKind::core) {
      values[axis] += setting.value == "1" ? 1 : 0;
    } else if (kind == ClockKind::cpu_max || kind == ClockKind::gpu_max ||
               kind == ClockKind::memory) {
      if (const auto mhz = clock_of(setting, values_of(board, axis)))
        values[axis] = std::max(values[axis], *mhz);
    }
  }
  return preset;
}

// Names of cores that the preset does not speak of stay as they are.
Status switch_cores(const Preset& preset, const fs::path& root, SettingsJournal& journal,
                    const char* to) {
  for (const NvpmodelSetting& setting : preset.settings) {
    if (kind_of(setting) != ClockKind::core || setting.value != to) continue;
    const fs::path file = root / fs::path(setting.path).relative_path();
    std::error_code ignored;
    if (fs::exists(file, ignored)) FLYBALL_CHECK(journal.set(file, to));  // cpu0 has no switch
  }
  return {};
}

struct Limits {
  std::optional<double> low, high;
};

// Caps of a preset are no listed values everywhere: drivers take the step below.
constexpr double step_share = 0.1;

Status set_clusters(const Preset& preset, const fs::path& root, const BoardDevice& board,
                    SettingsJournal& journal) {
  std::map<fs::path, Limits> policies;
  for (const NvpmodelSetting& setting : preset.settings) {
    const ClockKind kind = kind_of(setting);
    if (kind != ClockKind::cpu_min && kind != ClockKind::cpu_max) continue;
    std::error_code off;
    const fs::path policy =
        fs::canonical(root / fs::path(setting.path).relative_path().parent_path(), off);
    if (off) continue;  // a cluster that is off has no clock
    Limits& limits = policies[policy];
    (kind == ClockKind::cpu_min ? limits.low : limits.high) =
        clock_of(setting, values_of(board, axis::cpu_mhz));
  }
  for (const auto& [policy, limits] : policies) {
    if (!limits.high) continue;
    const ClockRange range{policy / "scaling_min_freq", policy / "scaling_max_freq", khz_per_mhz};
    FLYBALL_ASSIGN(const std::string text, journal.read(range.min_file));
    const double present = parse_double(trim(text)).value_or(0) / khz_per_mhz;
    const double low = std::min(limits.low.value_or(present), *limits.high);
    FLYBALL_CHECK(
        range.set(journal, low, *limits.high, {.below = step_share * *limits.high * khz_per_mhz}));
  }
  return {};
}

Status set_other_clocks(const Preset& preset, BoardDevice& board, SettingsJournal& journal) {
  Limits gpu, memory;
  for (const NvpmodelSetting& setting : preset.settings) {
    const ClockKind kind = kind_of(setting);
    const auto mhz = clock_of(setting, values_of(board, axis_of(kind)));
    if (kind == ClockKind::gpu_min) gpu.low = mhz;
    if (kind == ClockKind::gpu_max) gpu.high = mhz;
    if (kind == ClockKind::memory) memory.high = mhz;
  }
  if (Knob* knob = board.find(axis::gpu_mhz); knob && gpu.high)
    FLYBALL_CHECK(knob->set(std::min(gpu.low.value_or(knob->axis().values.front()), *gpu.high),
                            *gpu.high, &journal));
  if (Knob* knob = board.find(axis::mem_mhz); knob && memory.high)
    FLYBALL_CHECK(knob->set(0, *memory.high, &journal));
  return {};
}

// On a board it links to the file of its module by a path of the board's own
// ("/etc/nvpmodel/nvpmodel_p3701_0000.conf"), which in a tree lies below its root.
fs::path conf_file(const fs::path& root) {
  const fs::path file = root / "etc/nvpmodel.conf";
  std::error_code none;
  const fs::path target = fs::read_symlink(file, none), below = root / target.relative_path();
  return target.is_absolute() && fs::exists(below, none) ? below : file;
}

// As presets name them: values of the axes.
PowerMode listed(const PowerMode& caps, const BoardDevice& board) {
  PowerMode mode;
  for (const KnobPtr& knob : board.knobs()) {
    const Axis& axis = knob->axis();
    const auto cap = caps.values.find(axis.name);
    if (cap != caps.values.end() && !axis.values.empty())
      mode.values[axis.name] = highest_not_above(axis.values, cap->second);
  }
  return mode;
}

}  // namespace

void judge_by_caps(Presets& presets, const BoardDevice& board, const PowerMode& in_force) {
  const PowerMode caps = listed(in_force, board);
  Preset* active = nullptr;
  for (Preset& preset : presets.list) {
    const std::optional<bool> is = is_in_force(preset, caps);
    preset.contradicted = is == false;
    if (is.value_or(false) && (!active || preset.told)) active = &preset;
  }
  for (Preset& preset : presets.list)
    preset.active = active ? &preset == active : preset.told && !preset.contradicted;
}

Presets read_presets(const fs::path& root, const BoardDevice& board) {
  Presets presets;
  const fs::path file = conf_file(root);
  const auto text = read_file(file, 1 << 22);
  if (!text) {
    if (text.error().code != Code::not_found) presets.problems.push_back(text.error());
    return presets;
  }
  NvpmodelConf conf = parse_nvpmodel(*text, file.string());
  presets.source = "etc/nvpmodel.conf";
  presets.problems = std::move(conf.refused);
  if (conf.modes.empty() && presets.problems.empty())
    presets.problems.push_back({Code::corrupt, file.string() + " holds no power mode",
                                "modes are set by their clocks: `flyball mode list`"});
  const auto status = read_file(root / "var/lib/nvpmodel/status", 4096);
  const auto active = status ? parse_nvpmodel_status(*status) : std::nullopt;
  if (!active && (status || status.error().code != Code::not_found))
    presets.problems.push_back({Code::corrupt,
                                (root / "var/lib/nvpmodel/status").string() + " names no preset",
                                "`nvpmodel -q` says which one is active"});
  for (const NvpmodelMode& mode : conf.modes) {
    presets.list.push_back(preset_of(mode, board));
    presets.list.back().is_default = conf.default_mode == mode.id;
    presets.list.back().told = active == mode.id;
  }
  judge_by_caps(presets, board, caps_in_force(board));
  return presets;
}

Result<const Preset*> find_preset(const Presets& presets, const std::string& name) {
  std::vector<std::string> names;
  const Preset* found = nullptr;
  for (const Preset& preset : presets.list) {
    names.push_back(preset.name);
    if (preset.name != name && fmt::format("{}", preset.id) != name) continue;
    if (found)
      return Error{Code::invalid_argument, fmt::format("two presets answer to '{}'", name),
                   "name it by its number: `flyball mode presets` lists them"};
    found = &preset;
  }
  if (found) return found;
  return Error{Code::not_found, fmt::format("there is no preset '{}'", name),
               names.empty()  // "20W" means no "30W": all are named
                   ? "this board has no presets, which a Jetson's etc/nvpmodel.conf holds; name "
                     "values of its axes (`flyball mode list` shows them)"
                   : "one of: " + join(names, ", ")};
}

Status set_preset(const Preset& preset, const fs::path& root, BoardDevice& board) {
  FLYBALL_ASSIGN(SettingsJournal* const journal, board.claim_journal());
  FLYBALL_CHECK(switch_cores(preset, root, *journal, "1"));
  FLYBALL_CHECK(set_clusters(preset, root, board, *journal));
  FLYBALL_CHECK(set_other_clocks(preset, board, *journal));
  return switch_cores(preset, root, *journal, "0");
}

}  // namespace flyball
