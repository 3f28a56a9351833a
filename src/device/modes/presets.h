// Preset power modes of a Jetson (nvpmodel): what each sets, and setting one as nvpmodel does. A
// preset is a set of caps: clocks stay free below them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/host/board_device.h"
#include "device/modes/nvpmodel_conf.h"

namespace flyball {

struct Preset {
  int id = 0;
  std::string name{};
  bool is_default = false, active = false;
  PowerMode mode{};  ///< cores that are on, and caps in MHz, of the axes that the board has
  std::vector<std::string>
      left_out{};  ///< what else it sets, which Flyball leaves alone: "TPC_PG X"
  std::vector<NvpmodelSetting> settings{};
};

struct Presets {
  std::vector<Preset> list;
  std::vector<Error>
      problems;  ///< lines of nvpmodel.conf that were refused, files that do not read
};

/// Those of etc/nvpmodel.conf below `root`; none where there is no such file.
Presets read_presets(const std::filesystem::path& root, const BoardDevice& board);

/// By name or number. Errors: there is none, or it is ambiguous.
Result<const Preset*> find_preset(const Presets& presets, const std::string& name);

/// Sets its cores and caps on the claimed board, each read back.
Status set_preset(const Preset& preset, const std::filesystem::path& root, BoardDevice& board);

}  // namespace flyball
