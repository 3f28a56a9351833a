// Power modes by hand: what the board does now, setting a mode that stays, and back.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "device/host/fixed_settings.h"
#include "device/modes/board_report.h"

namespace flyball {

/// "cpu_cores=4,cpu_mhz=1344" as a mode. Errors: no such list, an axis twice.
Result<PowerMode> parse_mode(const std::string& text);

/// What is asked of `flyball mode set`: axes, a preset, or clocks pinned at their caps.
struct ModeRequest {
  PowerMode mode{};
  std::string preset{};
  bool pin_max = false;
};

/// Sets it, reads it back, and gives what is in force then. What was before is with the journal:
/// restore() or keep() it. Where anything does not take, all is put back before the error returns.
Result<PowerMode> set_mode(BoardDevice& board, const std::filesystem::path& root,
                           const ModeRequest& request);

/// What jetson_clocks does: every clock at its cap, idle states off.
Status pin_max(BoardDevice& board, const std::filesystem::path& root);

/// {"board", "axes", "fixed", "held_by", "kept"}: who sets the board now (null: nobody), and
/// whether `flyball mode restore` has something to put back.
nlohmann::ordered_json mode_json(const BoardIdentity& board, const BoardDevice& device,
                                 const std::filesystem::path& root);

}  // namespace flyball
