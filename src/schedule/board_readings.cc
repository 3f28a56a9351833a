#include "schedule/board_readings.h"

#include <fmt/format.h>

namespace flyball {

Result<Readings> readings_of_board(const SharedBoard& shared) {
  Readings readings(shared.profilers.size());
  for (size_t role = 0; role < shared.profilers.size(); ++role) {
    Profiler& profiler = *shared.profilers[role];
    // A simulated trial takes no time, so all of them can be had.
    if (profiler.info().live && profiler.info().provenance != Provenance::simulated)
      return Error{Code::invalid_argument,
                   fmt::format("{} runs live here: there are no profiles to simulate with",
                               profiler.info().workload),
                   "name tables with --train and --infer (`flyball export` writes them)"};
    for (const size_t config : shared.config[role]) {
      profiler.next_repeat(config, 0);
      FLYBALL_ASSIGN(const Measurement measured, profiler.measure(config));
      readings[role].push_back(reading_of(measured, {}));
    }
  }
  return readings;
}

}  // namespace flyball
