#include "device/modes/mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/lock_file.h"
#include "base/text.h"
#include "device/knobs/clock_range.h"
#include "device/modes/mode_desk.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const fs::path& file) {
  const auto text = read_file(file, 4096);
  if (!text || !text_fault(*text).empty()) return "";
  return std::string(trim(*text));
}

// Folders below `folder` whose names begin so, in order.
std::vector<fs::path> folders(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

std::optional<double> fan_of(const fs::path& root) {
  if (const auto pwm = parse_double(trimmed(root / "sys/devices/pwm-fan/target_pwm"))) return pwm;
  for (const fs::path& hwmon : folders(root / "sys/class/hwmon", "hwmon"))
    if (trimmed(hwmon / "name") == "pwmfan") return parse_double(trimmed(hwmon / "pwm1"));
  return {};
}

fs::path gpu_folder(const fs::path& root) {
  const BoardIdentity board = identify_board(root);
  std::error_code ignored;
  if (board.spec)
    for (const std::string& folder : board.spec->gpu_folders)
      if (fs::exists(root / folder, ignored)) return root / folder;
  return {};
}

// Of every range there is: are minimum and maximum one?
std::optional<bool> pinned(const fs::path& root, const fs::path& gpu) {
  std::vector<ClockRange> ranges;
  for (int cpu : present_cpus({root})) {
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

Status apply_request(BoardDevice& board, const fs::path& root, const ModeRequest& request) {
  const Presets presets = request.preset.empty() ? Presets() : read_presets(root, board);
  const Preset* preset = nullptr;
  if (!request.preset.empty()) {
    FLYBALL_ASSIGN(preset, find_preset(presets, request.preset));
  }
  if (request.stays) {
    for (const std::string& own : board.own_axes())
      if (const auto asked = request.mode.values.find(own); asked != request.mode.values.end())
        return cannot_stay(own, asked->second);
    FLYBALL_CHECK(board.can_keep());
  }
  FLYBALL_CHECK(board.claim());
  if (preset) FLYBALL_CHECK(set_preset(*preset, root, board));
  if (request.pin_max) FLYBALL_CHECK(pin_max(board, root));
  return board.apply(request.mode);
}

}  // namespace

Error cannot_stay(const std::string& axis, double value) {
  return {Code::unavailable,
          fmt::format("{} is chosen for each process here, and cannot stay", axis),
          fmt::format("flyball mode hold {}={} -- COMMAND", axis, format_number(value))};
}

PowerMode caps_in_force(const BoardDevice& board) {
  PowerMode mode;
  for (const KnobPtr& knob : board.knobs())
    if (const auto cap = knob->cap()) mode.values[knob->axis().name] = *cap;
  return mode;
}

FixedSettings read_fixed(const fs::path& root) {
  FixedSettings fixed;
  const fs::path cpu = root / "sys/devices/system/cpu/cpu0";
  const fs::path gpu = gpu_folder(root);
  fixed.cpu_governor = trimmed(cpu / "cpufreq/scaling_governor");
  if (!gpu.empty()) fixed.gpu_governor = trimmed(gpu / "governor");
  fixed.dvfs_pinned = pinned(root, gpu);
  fixed.fan_pwm = fan_of(root);
  const auto states = folders(cpu / "cpuidle", "state");
  if (!states.empty())
    fixed.idle_states = static_cast<int>(std::ranges::count_if(
        states, [](const fs::path& state) { return trimmed(state / "disable") != "1"; }));
  return fixed;
}

nlohmann::ordered_json fixed_json(const FixedSettings& fixed) {
  const auto text = [](const std::string& value) {
    return value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  return {{"cpu_governor", text(fixed.cpu_governor)},
          {"gpu_governor", text(fixed.gpu_governor)},
          {"dvfs_pinned", or_null(fixed.dvfs_pinned)},
          {"fan_pwm", or_null(fixed.fan_pwm)},
          {"idle_states", or_null(fixed.idle_states)}};
}

Result<PowerMode> parse_mode(const std::string& text) {
  PowerMode mode;
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : parse_double(trim(part.substr(equals + 1)));
    const std::string name(trim(part.substr(0, equals)));
    if (!value || name.empty())
      return Error{Code::invalid_argument, fmt::format("'{}' is no part of a mode", part),
                   "write AXIS=VALUE,AXIS=VALUE, such as cpu_cores=4,cpu_mhz=1344"};
    if (!mode.values.emplace(name, *value).second)
      return Error{Code::invalid_argument, fmt::format("{} is given twice", name), "leave one out"};
  }
  return mode;
}

Status pin_max(BoardDevice& board, const fs::path& root) {
  FLYBALL_CHECK(board.claim());
  PowerMode caps = board.default_mode();
  caps.values.erase(axis::cpu_cores);
  FLYBALL_CHECK(board.apply(caps));
  for (int cpu : present_cpus({root}))
    for (const fs::path& state : folders(KnobPlace{root}.cpu(cpu) / "cpuidle", "state"))
      FLYBALL_CHECK(board.journal()->set(state / "disable", "1"));
  return {};
}

Result<PowerMode> set_mode(BoardDevice& board, const fs::path& root, const ModeRequest& request) {
  const Status status = apply_request(board, root, request);
  if (status.ok()) return caps_in_force(board);
  const Status undone = board.restore();
  return undone.ok() ? status.error() : status.error().within(undone.error().message);
}

nlohmann::ordered_json mode_json(const BoardIdentity& board, const BoardDevice& device,
                                 const fs::path& root) {
  std::error_code ignored;
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  std::string holder = LockFile::holder(board_journal().string() + ".lock");
  const auto helper = helper_of(root);
  if (helper && !helper->holder.empty()) holder = helper->holder + ", through the helper";
  const std::string keeper = helper ? helper->kept : "";
  return {{"board", {{"id", board.id}, {"name", board.name}}},
          {"axes", axes_json(examine_axes(device))},
          {"fixed", fixed_json(read_fixed(root))},
          {"held_by", or_null(holder)},
          {"kept", fs::exists(kept_journal(board_journal()), ignored) || !keeper.empty()},
          {"kept_by", or_null(keeper)}};
}

}  // namespace flyball
