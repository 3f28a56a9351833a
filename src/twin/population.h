// Random but plausible networks on random boards, as tables: what strategies and predictors are
// judged on that were made with a few tables in view.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "space/table.h"
#include "twin/twin.h"

namespace flyball {

/// What a network's time goes into, and what it is made of.
struct PopulationKind {
  enum class Bound { compute, memory, launch, loader } bound = Bound::compute;
  enum class Structure { convolution, attention, recurrent } structure = Structure::convolution;

  std::string name() const;  ///< "compute-attention"
};
inline constexpr size_t population_kinds = 12;
PopulationKind population_kind(size_t index);  ///< they take turns

/// Member `index` of a population: its name is "KIND__NNN", its layers and data are drawn.
TwinWorkload population_workload(size_t index, uint64_t seed, Phase phase);
/// The id of its board: a Jetson, drawn.
std::string population_board(size_t index, uint64_t seed);

/// Modes of a board on a grid as the papers': 3 numbers of cores, 7 CPU and 7 GPU clocks, 3 memory
/// clocks, as even as the board lists them; the lowest fifth of each axis is left out.
std::vector<Axis> population_grid(const TwinBoard& board);

/// Trains in batches of 16, serves in batches of 1, 4, 16, 32 and 64; means of 40 minibatches a
/// row, which say `simulated`, and the board's own power total. Configurations that do not fit into
/// memory are left out. Errors: none fits.
Result<WorkloadTable> population_table(size_t index, uint64_t seed, Phase phase);

}  // namespace flyball
