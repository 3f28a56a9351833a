// Which power modes of a board a search may choose from, and in which order they are visited.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "profile/trials/profiler.h"
#include "space/axis_choice.h"

namespace flyball {

/// What `--modes` asks for.
struct ModeChoice {
  enum class Kind { all, paper, sample };
  Kind kind = Kind::all;
  size_t count = 0;   ///< of a sample
  uint64_t seed = 1;  ///< of a sample
};

/// "all", "paper" or a number above zero.
Result<ModeChoice> parse_mode_choice(const std::string& text, uint64_t seed);

/// The same profiler with the chosen modes alone, each with all its run settings; what was kept of
/// how many stands in info().modes. Its default stays, whatever was chosen. `paper` takes the modes
/// of the published grid (problem/paper.h), each value as the nearest that the board lists.
///
/// A live board's configurations come in descending order of its clocks: where old releases raise
/// no clock before a reboot, brute force in this order sets aside as few as it can.
/// Errors: more modes than there are; none of the grid.
Result<std::unique_ptr<Profiler>> with_modes(std::unique_ptr<Profiler> profiler,
                                             const ModeChoice& choice);

/// What of a measured table is chosen, as a profiler and as the table of the same rows.
struct TableTrials {
  WorkloadTable table;
  std::unique_ptr<Profiler> profiler;
};
/// Errors: those of narrowed() and with_modes().
Result<TableTrials> table_trials(WorkloadTable table, std::span<const AxisChoice> axes,
                                 const ModeChoice& modes);

}  // namespace flyball
