// What a board is, what of it can be set and what it measures: the board's part of the doctor.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "boards/identity.h"
#include "device/modes/presets.h"

namespace flyball {

struct AxisReport {
  Axis axis;
  std::optional<double> current;  ///< the cap in force; nothing where it does not read
  std::optional<double> now;      ///< what the clock reads, how many cores are on
  bool settable = false;          ///< by this process
};

struct RailReport {
  std::string name;
  std::optional<double> power_w;    ///< nothing where the rail gives nothing
  std::optional<double> period_ms;  ///< how often it changes, where the driver says so
};

struct TotalReport {
  std::vector<std::string> rails;
  double power_w = 0;
};

/// An NVIDIA GPU: what `--device cuda:N` may set of it.
struct GpuReport {
  unsigned index = 0;  ///< as nvidia-smi counts
  std::string name, uuid, driver;
  bool mig = false;  ///< cut into slices: nothing of it is set
  std::vector<AxisReport> axes;
};

struct BoardReport {
  BoardIdentity board;
  std::vector<AxisReport> axes;
  std::vector<RailReport> rails;
  /// "module" and "monitor" always, others ("package", "gpu", "pmic") where there are such; nothing
  /// where one of its rails gives nothing, or where the board is not known.
  std::map<std::string, std::optional<TotalReport>> totals;
  std::vector<Preset> presets;
  std::vector<GpuReport> gpus;
  std::vector<Error> problems;
};

/// Looks at everything once; sets nothing. Never fails: what does not read is nothing, and a
/// problem says why.
BoardReport examine_board(const std::filesystem::path& root = "/");

/// The keys board, axes, rails, totals, presets, gpus and problems of `flyball doctor --json`.
Json board_json(const BoardReport& report);
std::string board_text(const BoardReport& report);

/// {"name", "unit", "values", "current", "now", "settable"} of each.
Json axes_json(const std::vector<AxisReport>& axes);
Json presets_json(const std::vector<Preset>& presets);
std::vector<AxisReport> examine_axes(const std::vector<KnobPtr>& knobs);

}  // namespace flyball
