// Everything that a monitor shows of a board at one instant. One line of `flyball monitor --json`
// is one of them, and so is one line of a file that `--replay` reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "space/axis.h"

namespace flyball {

/// What one rail, or one energy counter, tells.
struct RailFrame {
  std::string name;                 ///< "VDD_IN", "package-0"
  bool in_total = false;            ///< it is part of BoardFrame::total
  std::optional<double> power_w{};  ///< nothing where it did not read, or of a counter's first look
  double energy_j = 0;              ///< since the first frame, over the time that was measured
  bool reads = true;                ///< the last look brought a value
};

/// One clock: what was asked of it, and what it does.
struct ClockFrame {
  std::string name;                   ///< "cpu0", "cpu4" (first core of a cluster), "gpu", "emc"
  std::string axis;                   ///< axis of the power mode that it belongs to; "" for none
  std::optional<double> asked_mhz{};  ///< the cap in force
  std::optional<double> seen_mhz{};
};

struct TemperatureFrame {
  std::string name;  ///< of the zone or sensor: "cpu-thermal"
  double celsius = 0;
};

struct DiskFrame {
  std::string name;                                     ///< "nvme0n1"
  double read_bytes = 0, written_bytes = 0;             ///< since the kernel started
  std::optional<double> read_per_s{}, written_per_s{};  ///< bytes/s since the last look
};

struct ProcessFrame {
  int pid = 0;
  std::string name;
  double cpu_cores = 0;               ///< cores that it kept busy since the last look
  double memory_bytes = 0;            ///< resident
  std::optional<double> gpu_bytes{};  ///< memory that it holds for the GPU, where that is told
  std::optional<double> gpu_busy{};   ///< GPUs that it kept busy, where NVIDIA's library tells
};

struct MemoryFrame {
  std::optional<double> total_bytes{}, used_bytes{}, page_cache_bytes{}, swap_used_bytes{};
};

/// The power mode: caps in force by axis, and what is known of them.
struct ModeFrame {
  PowerMode caps{};
  std::string preset{};          ///< whose cores and caps these are; "" for none
  std::optional<bool> pinned{};  ///< do all clocks have minimum = maximum?
};

/// Names, values and gaps. A value that is not known is nothing, and a gap says why where it could
/// be expected.
struct BoardFrame {
  std::string time{};  ///< ISO 8601 in UTC; "" of a simulated board
  double at_s = 0;     ///< since the first frame; of a simulated board since it began to work
  bool simulated = false;
  std::string board_id{}, board_name{};

  std::string total{};              ///< "module", "package", "gpu"; "" where no total is known
  std::optional<double> power_w{};  ///< of the total
  double energy_j = 0;              ///< of the total since the first frame
  std::vector<RailFrame> rails{};

  std::vector<ClockFrame> clocks{};
  std::vector<std::optional<double>> cores{};  ///< busy share by number; nothing: the core is off
  std::optional<double> gpu_busy{};            ///< share
  std::vector<TemperatureFrame> temperatures{};
  /// What slowed the board down since the last frame; nothing where no sensor tells.
  std::optional<std::vector<std::string>> throttled{};
  std::optional<double> fan{};  ///< share of its full drive
  std::optional<double> fan_rpm{};

  MemoryFrame memory{};
  std::vector<DiskFrame> disks{};
  std::vector<ProcessFrame> processes{};  ///< the busiest first
  ModeFrame mode{};
  std::string held_by{};    ///< who sets the board now; "" for nobody
  std::string measuring{};  ///< who has the right to measure; "" for nobody
  bool kept = false;        ///< `flyball mode restore` has something to put back

  std::optional<double> own_cores{};  ///< cores that this monitor kept busy since the last frame
  std::vector<Error> gaps{};
};

/// The version of the format, `monitor` of each line.
inline constexpr int frame_version = 1;

Json to_json(const BoardFrame& frame);
/// Errors: no JSON, another version, a value of another kind or out of range, more than
/// `most_frame_bytes`; they name the key.
Result<BoardFrame> parse_frame(std::string_view line);
inline constexpr size_t most_frame_bytes = 256 << 10;

/// The temperature that is highest; null where there is none.
const TemperatureFrame* hottest(const BoardFrame& frame);

}  // namespace flyball
