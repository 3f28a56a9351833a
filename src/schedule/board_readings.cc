#include "schedule/board_readings.h"

#include <fmt/format.h>

namespace flyball {

Result<Readings> readings_of_board(const SharedBoard& shared) {
  Readings readings(shared.profilers.size());
  for (size_t role = 0; role < shared.profilers.size(); ++role) {
    Profiler& profiler = *shared.profilers[role];
    if (profiler.info().live)
      return Error{Code::invalid_argument,
                   fmt::format("{} runs live here: there are no profiles to simulate with",
                               profiler.info().workload),
                   "name tables with --train and --infer (`flyball export` writes them)"};
    for (const size_t config : shared.config[role]) {
      FLYBALL_ASSIGN(const Measurement measured, profiler.measure(config));
      readings[role].push_back(reading_of(measured, {}));
    }
  }
  return readings;
}

}  // namespace flyball
