// Preset power modes by name: the one type for those that a board's nvpmodel.conf holds and those
// that boards/ says of its kind.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/axis.h"

namespace flyball {

struct BoardSpec;

struct NvpmodelSetting {
  std::string param;     ///< "CPU_A78_0", "GPU", "EMC", "CPU_ONLINE"
  std::string argument;  ///< "MAX_FREQ", "CORE_3"
  std::string path;      ///< what the PARAM block says of the argument: a file
  std::string value;     ///< as it stands there; "-1": the highest
};

struct Preset {
  int id = 0;
  std::string name{};
  bool is_default = false, active = false;
  bool contradicted = false;  ///< by a cap that is in force: the board is not in it
  bool told = false;          ///< by nvpmodel's own word it was the last that was set
  PowerMode mode{};  ///< cores that are on, and caps in MHz, of the axes that the board has
  std::vector<std::string>
      left_out{};  ///< what else it sets, which Flyball leaves alone: "TPC_PG X"
  std::vector<NvpmodelSetting> settings{};  ///< of nvpmodel.conf
};

struct Presets {
  std::vector<Preset> list;
  std::vector<Error> problems;  ///< lines of nvpmodel.conf that were refused, files not readable
  std::string source{};         ///< where they are from: a file, or what boards/ says

  /// The one that is active, else the default; null where there is none that no cap contradicts.
  const Preset* in_force() const;
};

/// Is the board in it, by caps as listed values? Nothing where a cap that it names does not read.
std::optional<bool> is_in_force(const Preset& preset, const PowerMode& caps);

/// The highest of ascending values that is not above the cap, as drivers take a cap that they do
/// not list; the lowest where all are above.
double highest_not_above(const std::vector<double>& values, double cap);

/// The mode that a cap of each axis comes to: listed values alone, the highest of an axis that the
/// caps do not name.
PowerMode mode_below(std::span<const Axis> axes, const PowerMode& caps);

/// Those presets as modes of these axes.
Presets on_axes(Presets presets, std::span<const Axis> axes);
/// What boards/ says of this kind of board, as modes of these axes.
Presets presets_of(const BoardSpec& spec, std::span<const Axis> axes);

}  // namespace flyball
