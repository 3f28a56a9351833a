// How fast boards are simulated: minibatches a second on one core, and every mode of a training.
#include <fmt/format.h>

#include <cstdlib>

#include "base/clock.h"
#include "twin/twin.h"

using namespace flyball;

namespace {

/// Every mode of a board with the GPU clocks of JetPack 5.0: 12 · 29 · 13 · 4 = 18,096.
std::vector<PowerMode> paper_modes(const TwinBoard& board) {
  constexpr double gpu_mhz[] = {114.75, 216.75, 318.75,  420.75,  522.75,  624.75, 726.75,
                                828.75, 930.75, 1032.75, 1134.75, 1236.75, 1300.5};
  std::vector<PowerMode> modes;
  for (const double cores : find_axis(board.axes, axis::cpu_cores)->values)
    for (const double cpu : find_axis(board.axes, axis::cpu_mhz)->values)
      for (const double gpu : gpu_mhz)
        for (const double mem : find_axis(board.axes, axis::mem_mhz)->values)
          modes.push_back({{{axis::cpu_cores, cores},
                            {axis::cpu_mhz, cpu},
                            {axis::gpu_mhz, gpu},
                            {axis::mem_mhz, mem}}});
  return modes;
}

}  // namespace

int main() {
  const auto board = find_twin_board("orin_agx");
  const auto workload = known_twin_workload("resnet18", Phase::train);
  if (!board || !workload) return EXIT_FAILURE;
  const auto twin = Twin::make(*board, *workload);
  if (!twin) return EXIT_FAILURE;
  TwinConfiguration configuration;
  TwinOptions options;
  options.minibatches = 2'000'000;
  const Stopwatch one;
  auto stream = twin->stream(configuration, options);
  if (!stream) return EXIT_FAILURE;
  for (int i = 0; i < options.minibatches; ++i) stream->next();
  const double rate = options.minibatches / one.seconds();
  options.minibatches = 40;
  const std::vector<PowerMode> modes = paper_modes(*board);
  const Stopwatch all;
  double time = 0;
  for (const PowerMode& mode : modes) {
    configuration.mode = mode;
    const auto run = twin->simulate(configuration, options);
    if (!run) return EXIT_FAILURE;
    time += run->median().e2e_ms;
  }
  fmt::print(
      "{{\"benchmark\": \"twin\", \"figures\": {{\"minibatches_per_s\": {:.0f}, \"modes\": {}, "
      "\"modes_s\": {:.3f}, \"mean_minibatch_ms\": {:.3f}}}}}\n",
      rate, modes.size(), all.seconds(), time / static_cast<double>(modes.size()));
  return EXIT_SUCCESS;
}
