#include "device/host/fixed_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/files.h"
#include "base/folder_entries.h"
#include "base/json.h"
#include "base/text.h"
#include "device/knobs/clock_range.h"
#include "device/knobs/knob.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr double full_pwm = 255;

std::string trimmed(const fs::path& file) {
  const auto text = read_file(file, 4096);
  if (!text || !text_fault(*text).empty()) return "";
  return std::string(trim(*text));
}

std::optional<double> fan_of(const fs::path& root) {
  if (const auto pwm = parse_double(trimmed(root / "sys/devices/pwm-fan/target_pwm"))) return pwm;
  for (const fs::path& hwmon : folder_entries(root / "sys/class/hwmon", "hwmon"))
    if (trimmed(hwmon / "name") == "pwmfan") return parse_double(trimmed(hwmon / "pwm1"));
  return {};
}

fs::path gpu_folder(const BoardIdentity& board, const fs::path& root) {
  std::error_code ignored;
  if (board.spec)
    for (const std::string& folder : board.spec->gpu_folders)
      if (fs::exists(root / folder, ignored)) return root / folder;
  return {};
}

// Of every range of something that is on: are minimum and maximum one?
std::optional<bool> pinned(const fs::path& root, const fs::path& gpu) {
  std::vector<ClockRange> ranges;
  for (int cpu : present_cpus({root})) {
    if (!is_online({root}, cpu)) continue;  // what bounds a core that is off bounds no clock
    const fs::path policy = KnobPlace{root}.cpu(cpu) / "cpufreq";
    ranges.push_back({policy / "scaling_min_freq", policy / "scaling_max_freq", 1e3});
  }
  if (!gpu.empty()) ranges.push_back({gpu / "min_freq", gpu / "max_freq", 1e6});
  std::optional<bool> all;
  for (const ClockRange& range : ranges) {
    const auto low = range.mhz(kernel_files(), range.min_file);
    const auto high = range.mhz(kernel_files(), range.max_file);
    if (low && high) all = all.value_or(true) && *low == *high;
  }
  return all;
}

}  // namespace

FixedSettings read_fixed(const BoardIdentity& board, const fs::path& root) {
  FixedSettings fixed;
  const fs::path cpu = root / "sys/devices/system/cpu/cpu0";
  const fs::path gpu = gpu_folder(board, root);
  fixed.cpu_governor = trimmed(cpu / "cpufreq/scaling_governor");
  if (!gpu.empty()) fixed.gpu_governor = trimmed(gpu / "governor");
  fixed.dvfs_pinned = pinned(root, gpu);
  fixed.fan_pwm = fan_of(root);
  const auto states = folder_entries(cpu / "cpuidle", "state");
  if (!states.empty())
    fixed.idle_states = static_cast<int>(std::ranges::count_if(
        states, [](const fs::path& state) { return trimmed(state / "disable") != "1"; }));
  return fixed;
}

Json fixed_json(const FixedSettings& fixed) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"cpu_governor", text(fixed.cpu_governor)},
          {"gpu_governor", text(fixed.gpu_governor)},
          {"dvfs_pinned", or_null(fixed.dvfs_pinned)},
          {"fan_pwm", or_null(fixed.fan_pwm)},
          {"idle_states", or_null(fixed.idle_states)}};
}

FixedSettings read_fixed(const fs::path& root) {
  return read_fixed(identify_board(root), root);
}

Conditions fixed_conditions(const FixedSettings& fixed) {
  Conditions conditions;
  if (!fixed.cpu_governor.empty()) conditions["CPU governor"] = fixed.cpu_governor;
  if (!fixed.gpu_governor.empty()) conditions["GPU governor"] = fixed.gpu_governor;
  if (fixed.dvfs_pinned) conditions["DVFS"] = *fixed.dvfs_pinned ? "pinned" : "free";
  if (fixed.fan_pwm) conditions["fan"] = *fixed.fan_pwm >= full_pwm ? "full" : "by temperature";
  if (fixed.idle_states)
    conditions["idle states"] =
        *fixed.idle_states == 0 ? "off" : fmt::format("{}", *fixed.idle_states);
  return conditions;
}

}  // namespace flyball
