#include "schedule/board_readings.h"

#include <fmt/format.h>

namespace flyball {

Result<Readings> readings_of_board(const SharedBoard& shared) {
  Readings readings(shared.roles.size());
  for (size_t role = 0; role < shared.roles.size(); ++role) {
    Profiler& profiler = *shared.roles[role].profiler;
    // A simulated trial takes no time, so all of them can be had.
    if (profiler.info().live && profiler.info().provenance != Provenance::simulated)
      return Error{Code::invalid_argument,
                   fmt::format("{} runs live here: there are no profiles to simulate with",
                               profiler.info().workload),
                   "name tables with --train and --infer (`flyball export` writes them)"};
    for (const size_t config : shared.roles[role].config) {
      profiler.next_repeat(config, 0);
      FLYBALL_ASSIGN(const Measurement measured, profiler.measure(config));
      readings[role].push_back(reading_of(measured, {}));
    }
  }
  return readings;
}

}  // namespace flyball
