// For tests: a board whose time and power are known functions of its clocks.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "space/table.h"

namespace flyball::testing_board {

/// A workload by the weight of its stages, in ms at the highest clocks.
struct Load {
  std::string name = "net";
  double gpu_ms = 30, memory_ms = 15, launch_ms = 8, loader_ms = 10, wiggle = 0.03;
};

inline double time_ms(const Load& load, std::span<const double> x) {
  const double cores = x[0] / 12, cpu = x[1] / 2200, gpu = x[2] / 1300, mem = x[3] / 3200;
  const double device = std::hypot(load.gpu_ms / gpu, load.memory_ms / mem);
  const double host = load.launch_ms / cpu + load.loader_ms / (cpu * cores);
  // A ripple along the CPU clock that no form says, and that every workload of the board shares.
  return (1 + std::cbrt(std::pow(device, 3) + std::pow(host, 3))) *
         (1 + load.wiggle * std::sin(x[1] / 200));
}

inline double watts(const Load& load, std::span<const double> x) {
  const double cores = x[0] / 12, cpu = x[1] / 2200, gpu = x[2] / 1300, mem = x[3] / 3200;
  const double rate = 40 / time_ms(load, x);
  return 9 + 1.5 * cores + 3 * cores * cpu * cpu * cpu + 4 * gpu * gpu * gpu + 3 * mem +
         rate * (3 + 4 * cpu * cpu + 9 * gpu * gpu);
}

/// All of a grid over cores, CPU, GPU and memory clock, with relative noise.
inline WorkloadTable table_on(Space grid, const Load& load, double noise, uint64_t seed) {
  WorkloadTable all;
  all.device = "board";
  all.workload = load.name;
  all.space = std::move(grid);
  Random random(seed);
  for (size_t i = 0; i < all.space.size(); ++i) {
    const auto x = all.space.row(i);
    all.minibatch_ms.push_back(time_ms(load, x) * std::exp(noise * random.normal()));
    all.power_w.push_back(watts(load, x) * std::exp(noise / 2 * random.normal()));
  }
  return all;
}

/// The whole grid, 6 × 8 × 7 × 3 modes.
inline WorkloadTable table(const Load& load, double noise, uint64_t seed) {
  return table_on(Space::grid({named_axis("cpu_cores", {2, 4, 6, 8, 10, 12}),
                               named_axis("cpu_mhz", {300, 600, 900, 1200, 1500, 1700, 2000, 2200}),
                               named_axis("gpu_mhz", {115, 300, 500, 700, 900, 1100, 1300}),
                               named_axis("mem_mhz", {665, 2133, 3200})}),
                  load, noise, seed);
}

inline std::vector<double> steps(double from, double to, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(std::round(from + (to - from) * i / (count - 1)));
  return values;
}

/// All modes of a large board, 12 × 29 × 13 × 4 = 18,096, or the 6 × 14 × 13 × 4 = 4,368 profiled.
inline Space full_grid(bool profiled = false) {
  return Space::grid({named_axis("cpu_cores", profiled ? steps(2, 12, 6) : steps(1, 12, 12)),
                      named_axis("cpu_mhz", steps(269, 2201, profiled ? 14 : 29)),
                      named_axis("gpu_mhz", steps(115, 1300, 13)),
                      named_axis("mem_mhz", {204, 665, 2133, 3199})});
}

/// The rows of `all` with these indices.
inline WorkloadTable rows_of(const WorkloadTable& all, std::span<const size_t> indices) {
  WorkloadTable some = all;
  some.space = all.space.subset(indices);
  some.minibatch_ms.clear();
  some.power_w.clear();
  for (size_t i : indices) {
    some.minibatch_ms.push_back(all.minibatch_ms[i]);
    some.power_w.push_back(all.power_w[i]);
  }
  return some;
}

inline WorkloadTable random_rows(const WorkloadTable& all, size_t n, uint64_t seed) {
  return rows_of(all, Random(seed).sample(all.size(), n));
}

inline constexpr double no_reading = std::numeric_limits<double>::quiet_NaN();

}  // namespace flyball::testing_board
