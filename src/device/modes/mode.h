// Power modes by hand: what the board does now, setting a mode that stays, and back.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "device/host/fixed_settings.h"
#include "device/modes/board_report.h"

namespace flyball {

/// "cpu_cores=4,cpu_mhz=1344" as a mode. Errors: no such list, an axis twice.
Result<PowerMode> parse_mode(const std::string& text);
/// Those of the texts, each once.
Result<std::vector<PowerMode>> parse_modes(const std::vector<std::string>& texts);

/// What is asked of `flyball mode set`: axes, a preset, or clocks pinned at their caps.
struct ModeRequest {
  PowerMode mode{};
  std::string preset{};
  bool pin_max = false;
  bool stays = true;  ///< when this process has ended: cores by affinity do not
};

/// Sets it, reads it back, and gives what is in force then. What was before is with the journal:
/// restore() or keep() it. Where anything does not take, all is put back before the error returns.
Result<PowerMode> set_mode(BoardDevice& board, const std::filesystem::path& root,
                           const ModeRequest& request);

/// Of an axis that each process chooses for itself, asked for as a mode that stays.
Error cannot_stay(const std::string& axis, double value);

/// What jetson_clocks does: every clock at its cap, idle states off.
Status pin_max(BoardDevice& board, const std::filesystem::path& root);

/// The cap in force on each axis, where this process may read it.
PowerMode caps_in_force(const BoardDevice& board);
/// An axis of the mode that binds a process and what it starts alone (AxisState::own); nothing
/// where there is none.
std::optional<std::string> own_axis(const PowerMode& mode, const Device& board);

/// Who sets the board.
struct BoardHolder {
  std::string now{};      ///< who does at the moment, in this process' place or through the helper
  bool kept = false;      ///< `flyball mode restore` has something of it to put back
  std::string kept_by{};  ///< who had the helper keep that mode; "": not the helper
};
BoardHolder board_holder(const std::filesystem::path& root);

/// {"board", "axes", "fixed", "held_by", "kept", "kept_by"}: who sets the board now (null: nobody),
/// whether `flyball mode restore` has something to put back, and who had the helper keep that mode
/// (null: not the helper).
Json mode_json(const BoardIdentity& board, const BoardDevice& device,
               const std::filesystem::path& root);

}  // namespace flyball
