// Which board this is, from the files that the board itself shows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "boards/spec.h"

namespace flyball {

struct BoardIdentity {
  std::string id = "unknown";       ///< as in boards/, "host" (no device tree) or "unknown"
  std::string name;                 ///< for people: board, or CPU model
  int l4t = 0;                      ///< 36: major release of NVIDIA's Linux; 0 where there is none
  std::string release;              ///< "R36.4.3"; "" where there is none
  const BoardSpec* spec = nullptr;  ///< null for "host" and "unknown"
  /// What says so: "p3701 in proc/device-tree/compatible"; "" for "unknown".
  std::string known_by;
  /// Named by FLYBALL_BOARD (option --board), not read: the device tree is not to be seen, as in a
  /// container. Then no total of power counts that the labels of its rails do not bear out.
  bool named = false;
  std::vector<Error> problems;  ///< what could not be read, with the remedy

  /// "6": major version of JetPack; "" where there is none or it is not known.
  std::string jetpack() const;
  bool jetson() const { return spec && spec->jetson(); }
};

/// Reads proc/device-tree/{compatible,model}, etc/nv_tegra_release and proc/cpuinfo below `root`.
/// `compatible` counts before `model`, which early kits fill oddly. Where there is no device tree,
/// FLYBALL_BOARD may name a board: a Jetson where there is etc/nv_tegra_release, another one where
/// proc/cpuinfo says its model. Never fails: what is not known is "unknown", and a problem says
/// why.
BoardIdentity identify_board(const std::filesystem::path& root = "/");

}  // namespace flyball
