#include "device/modes/mode.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/distinct.h"
#include "base/files.h"
#include "base/folder_entries.h"
#include "base/json.h"
#include "base/os/lock_file.h"
#include "base/text.h"
#include "device/journal_file.h"
#include "device/knobs/clock_range.h"
#include "device/modes/mode_dispatcher.h"
#include "space/axis.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

Status apply_request(BoardDevice& board, const fs::path& root, const ModeRequest& request) {
  const Presets presets = request.preset.empty() ? Presets() : read_presets(root, board);
  const Preset* preset = nullptr;
  if (!request.preset.empty()) {
    FLYBALL_ASSIGN(preset, find_preset(presets, request.preset));
  }
  if (request.stays) {
    if (const auto own = own_axis(request.mode, board))
      return cannot_stay(*own, request.mode.values.at(*own));
    FLYBALL_CHECK(board.can_keep());
  }
  FLYBALL_CHECK(board.claim());
  if (preset) FLYBALL_CHECK(set_preset(*preset, root, board));
  if (request.pin_max) FLYBALL_CHECK(pin_max(board, root));
  FLYBALL_CHECK(board.apply(request.mode));
  return board.still_set();
}

// What cannot be read may be of this tree.
bool keeps_mode_of(const fs::path& root) {
  const fs::path place = kept_journal(board_journal());
  std::error_code unknown;
  if (!fs::exists(place, unknown)) return false;
  const auto kept = read_journal(place);
  if (!kept) return true;
  return *kept && (*kept)->root == fs::weakly_canonical(root, unknown);
}

}  // namespace

Error cannot_stay(const std::string& axis, double value) {
  return {Code::unavailable,
          fmt::format("{} is chosen for each process here, and cannot stay", axis),
          fmt::format("`flyball mode hold {}={} -- COMMAND`", axis, format_number(value))};
}

std::optional<std::string> own_axis(const PowerMode& mode, const Device& board) {
  for (const AxisState& state : board.states())
    if (state.own && mode.values.contains(state.axis.name)) return state.axis.name;
  return {};
}

PowerMode caps_in_force(const BoardDevice& board) {
  PowerMode mode;
  for (const KnobPtr& knob : board.knobs())
    if (const auto cap = knob->cap()) mode.values[knob->axis().name] = *cap;
  return mode;
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
    if (const std::string fault = axis_value_fault(name, *value); !fault.empty())
      return Error{Code::invalid_argument,
                   fmt::format("{} cannot be {}: {}", name, trim(part.substr(equals + 1)), fault),
                   "`flyball mode list` lists the values of each axis"};
    if (!mode.values.emplace(name, *value).second)
      return Error{Code::invalid_argument, fmt::format("{} is given twice", name), "leave one out"};
  }
  return mode;
}

Result<std::vector<PowerMode>> parse_modes(const std::vector<std::string>& texts) {
  std::vector<PowerMode> modes;
  for (const std::string& text : texts) {
    FLYBALL_ASSIGN(PowerMode mode, parse_mode(text));
    add_distinct(modes, mode);
  }
  return modes;
}

Status pin_max(BoardDevice& board, const fs::path& root) {
  FLYBALL_ASSIGN(SettingsJournal* const journal, board.claim_journal());
  PowerMode caps = board.caps();
  caps.values.erase(axis::cpu_cores);
  FLYBALL_CHECK(board.apply(caps));
  for (int cpu : present_cpus({root}))
    for (const fs::path& state : folder_entries(KnobPlace{root}.cpu(cpu) / "cpuidle", "state"))
      FLYBALL_CHECK(journal->set(state / "disable", "1"));
  return {};
}

Result<PowerMode> set_mode(BoardDevice& board, const fs::path& root, const ModeRequest& request) {
  const Status status = apply_request(board, root, request);
  if (status.ok()) return caps_in_force(board);
  const Status undone = board.restore();
  return undone.ok() ? status.error() : status.error().within(undone.error().message);
}

BoardHolder board_holder(const fs::path& root) {
  BoardHolder holder{.now = LockFile::holder(board_journal().string() + ".lock")};
  const auto helper = helper_of(root);
  if (helper && !helper->holder.empty()) holder.now = helper->holder + ", through the helper";
  if (helper) holder.kept_by = helper->kept;
  holder.kept = keeps_mode_of(root) || !holder.kept_by.empty();
  return holder;
}

Json mode_json(const BoardIdentity& board, const BoardDevice& device, const fs::path& root) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  const BoardHolder holder = board_holder(root);
  return {{"board", {{"id", board.id}, {"name", board.name}}},
          {"axes", axes_json(examine_axes(device.knobs()))},
          {"fixed", fixed_json(read_fixed(root))},
          {"held_by", or_null(holder.now)},
          {"kept", holder.kept},
          {"kept_by", or_null(holder.kept_by)}};
}

}  // namespace flyball
