#include "search/run.h"

#include <cmath>

namespace flyball {

Result<Answer> run_search(Strategy& strategy,
                          const std::function<Result<Told>(const Ask&)>& measure) {
  while (const auto ask = strategy.ask()) {
    FLYBALL_ASSIGN(const Told told, measure(*ask));
    strategy.tell(*ask, told.reading, told.failure);
  }
  return strategy.answer();
}

Result<Answer> run_search(Strategy& strategy, const Readings& readings) {
  return run_search(strategy, [&](const Ask& ask) -> Result<Told> {
    const Reading& reading = readings[ask.role][ask.candidate];
    return Told{reading, reading.minibatch_ms > 0 ? "" : "the table holds no time"};
  });
}

}  // namespace flyball
