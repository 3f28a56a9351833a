// What Flyball knows of a kind of board beforehand: one file of boards/ each, built into the
// program. Lists of clocks, rails and cores are never in it: the board is asked for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "boards/preset.h"

namespace flyball {

/// The memory clock (EMC); paths below the root, "" where the board has no such file.
struct MemorySpec {
  std::string rate, lock, state;   ///< Hz; 1 = this rate is kept; 1 = on
  std::vector<std::string> rates;  ///< where its legal rates stand, in kHz or Hz
  std::vector<std::string> caps;   ///< Hz, 0 = no cap
};

/// How nvpmodel names a board's cores and clocks (docs/boards.md); `cpu` is "" where that is not
/// known.
struct NvpmodelArguments {
  std::string cpu;  ///< "CPU_A78_", followed by the cluster's number; "CPU_A57": one for all
  int cores = 0;    ///< that the board has
  int cores_per_cluster = 0;  ///< in their order
};

struct BoardSpec {
  std::string id;                    ///< "orin_agx": as everywhere in Flyball
  std::string name;                  ///< "Jetson AGX Orin"
  std::vector<std::string> modules;  ///< how a word of proc/device-tree/compatible begins
  std::vector<std::string> models;   ///< what proc/device-tree/model contains
  std::vector<int> last_cores;       ///< come on after all others
  std::vector<std::string> gpu_folders,
      gpu_loads;  ///< devfreq folders, load files: the first there
  MemorySpec memory;
  std::vector<std::string> module_rails;  ///< add up to the module's power; none: no total is known
  std::string firmware_tool;              ///< program that tells power and throttling
  NvpmodelArguments nvpmodel;
  /// Releases of L4T (32: JetPack 4) on which clocks that were lowered may come back only after a
  /// reboot.
  std::vector<int> raising_may_need_reboot;
  std::vector<Preset> presets;  ///< as nvpmodel of this kind of board has them; none: not known
  std::string presets_source;   ///< where they are from

  bool jetson() const { return name.starts_with("Jetson"); }
};

/// All that the program brings along.
const std::vector<BoardSpec>& board_specs();
/// The one of this id, or null.
const BoardSpec* find_board_spec(std::string_view id);
/// Of all of them, in their order.
std::vector<std::string> board_ids();

/// One such file. Errors name it and the line: no TOML, unknown keys, paths that leave the root.
Result<BoardSpec> parse_board_spec(const std::string& text, const std::string& file);

struct BoardText {
  const char* file;
  const char* text;
};
/// The files as they were built in.
const std::vector<BoardText>& board_texts();

}  // namespace flyball
