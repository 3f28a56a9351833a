// What the twin knows of a kind of board: its clocks, rails, storages and constants, out of the
// part [twin] of boards/*.toml.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "boards/capacity.h"
#include "cost/layer_table.h"
#include "space/axis.h"

namespace flyball {

inline constexpr size_t twin_max_rails = 6;
inline constexpr size_t layer_kinds = static_cast<size_t>(LayerKind::other) + 1;

/// What draws power; rails carry one or more of them.
enum class TwinPart { cpu, gpu, soc, dram, system };
inline constexpr size_t twin_parts = 5;

struct TwinRail {
  std::string name;
  std::array<bool, twin_parts> carries{};
  bool module = false;  ///< part of the module's total
};

struct TwinStorage {
  std::string name;       ///< "ssd", "sd", "hdd"
  double mb_per_s = 0;    ///< 10⁶ bytes
  double latency_ms = 0;  ///< of one file, opened and read
  double at_once = 1;     ///< files that are read beside each other
  double serial = 1;      ///< share of a file's time that sorting those that wait does not save
};

/// Numbers of a board that its clocks do not tell. Calibration moves those that have bounds
/// (twin_constants()). Cycles are those of a Cortex-A78AE; power is that at the highest clocks.
struct TwinConstants {
  // The CPU.
  double cpu_speed = 1;          ///< work per cycle, of a Cortex-A78AE's
  double cpu_flop = 16;          ///< of a core in a cycle, where the CPU computes
  double op_kcycles = 60;        ///< dispatch of an operator
  double backward_kcycles = 30;  ///< the same in the backward pass, and of plain calls
  double kernel_kcycles = 15;    ///< launch of a kernel
  double step_kcycles = 3000;    ///< of a minibatch besides: loop, loss, synchronising
  double fetch_kcycles = 1000;   ///< the loader's hand-over of a minibatch to the main process
  double sample_kcycles = 0;     ///< the same for each of its samples
  double copy_cycles = 1.3;      ///< per byte handed over
  double memory_wait = 0.2;      ///< a CPU's wait for memory by its time at highest clocks
                                 ///< (half hides behind the other: √(1 + wait²) in all)
  double background_mhz = 200;   ///< what logging and the system take of the cores, in cycles
  double crowding = 0.25;        ///< work lost per thread and core beyond one thread for each core
  double bystanders = 1;         ///< threads beside loader workers that want a core, any core
  // The GPU.
  double cuda_cores = 0;         ///< 0: no GPU, the CPU computes
  double bus_bits = 64;          ///< of the memory, which moves two words a clock
  double queue = 1000;           ///< kernels that are launched ahead of the GPU, at most
  double kernel_us = 3;          ///< between a kernel's launch and its work
  double kernel_cycles = 3000;   ///< to fill and to drain the GPU, of its clock
  double fill = 8;               ///< outputs per CUDA core at which half the peak is reached
  double overlap = 0.7;          ///< share of the shorter of arithmetic and memory that hides
  double memory_share = 0.8;     ///< of the bus that kernels reach
  double bytes_per_cycle = 256;  ///< what the GPU takes from memory in a cycle of its clock
  double cache_mb = 2;           ///< operators that move as little find half of it in caches
  /// Of the FP32 peak of the CUDA cores, by kind of layer; tensor cores reach more than 1.
  std::array<double, layer_kinds> efficiency{};
  std::array<double, layer_kinds> traffic{};  ///< bytes that move per byte counted, by kind
  double backward_traffic = 1;  ///< bytes of the backward pass besides: workspaces of products
  // Power in W.
  double cpu_lowest_v = 0.65, cpu_knee = 0.4, gpu_lowest_v = 0.65, gpu_knee = 0.4;
  double cpu_static_w = 0.1, cpu_clock_w = 0.1, cpu_busy_w = 1;  ///< of one core
  double gpu_static_w = 1, gpu_clock_w = 2, gpu_busy_w = 8, gpu_math_w = 15;
  double convolution_energy = 0.6;  ///< of a FLOP in a convolution, by one in a matrix product
  double soc_static_w = 2, soc_clock_w = 2, soc_traffic_w = 2;
  double dram_static_w = 0.5, dram_clock_w = 0.5, dram_traffic_w = 4;
  double system_w = 3;
  // Noise and drift.
  double run_noise = 0.015;      ///< of the times of a run, relative
  double time_noise = 0.02;      ///< of the times of a minibatch besides
  double sample_noise = 0.4;     ///< of preparing one sample: they differ in size
  double power_noise = 0.01;     ///< of a run's power
  double leakage_per_c = 0.008;  ///< growth of static power per °C above a warm board's
  double thermal_c_per_w = 0.8;  ///< above ambient
  double thermal_s = 90;         ///< until 63 % of the way
};

/// One of the numbers of TwinConstants, by name.
struct TwinConstant {
  std::string name;          ///< "kernel_us", "efficiency.convolution"
  double low = 0, high = 0;  ///< of what a file may say
  double TwinConstants::*plain = nullptr;
  std::array<double, layer_kinds> TwinConstants::*by_kind = nullptr;
  size_t kind = 0;

  double& in(TwinConstants& constants) const;
  double in(const TwinConstants& constants) const;
};
const std::vector<TwinConstant>& twin_constants();

struct TwinBoard {
  std::string id;            ///< "orin_agx"
  std::string calibrated;    ///< with what and when; "": facts and the constants of its kin
  std::string by_hand;       ///< what its times were set to by hand instead; "": to nothing
  std::vector<Axis> axes;    ///< cpu_cores, cpu_mhz, and gpu_mhz, mem_mhz where it has them
  double mem_mhz = 0;        ///< of a memory that has no axis
  BoardCapacity capacity{};  ///< its memory, and what of it is left for a workload
  double cluster_cores = 0;  ///< cores that share a clock; 0: all do
  std::vector<TwinStorage> storages;  ///< not empty
  std::vector<TwinRail> rails;        ///< none: what it draws cannot be read there
  TwinConstants constants;
  // At the wall, beside what the module draws through a supply; below 0: not known.
  double plug_w = -1;            ///< carrier, fan and disks
  double plug_suspended_w = -1;  ///< all there is with a suspended module
  double plug_efficiency = 0.9;  ///< of the supply
  double kept_bytes =
      0;  ///< of the memory, what the page cache never gets although nobody needs it

  double highest(const char* axis) const;  ///< the memory's fixed clock where it is no axis; else 0
};

/// The board of this id. Errors: unknown ids; they list those there are.
Result<TwinBoard> find_twin_board(const std::string& id);
/// The board of a file of one's own, written like those of boards/ and, where it says so, after one
/// of them; without an id of its own it is that one with other constants. Errors: a file that
/// cannot be read, has no twin, or says what cannot be.
Result<TwinBoard> read_twin_board(const std::filesystem::path& path);
/// The ids of all boards that have a twin, sorted.
std::vector<std::string> twin_boards();
/// Reads the part [twin] of such files; what one says `like` another is taken from there. Errors
/// name file and line.
Result<std::vector<TwinBoard>> parse_twin_boards(
    std::span<const std::pair<std::string, std::string>> files);
/// Errors: there is no constant of this name, or it cannot be so.
Status set_twin_constant(TwinConstants& constants, const std::string& name, double value);
/// The part [twin.constants] of a file.
std::string format_twin_constants(const TwinConstants& constants);

}  // namespace flyball
