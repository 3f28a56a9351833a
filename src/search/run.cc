#include "search/run.h"

namespace flyball {

Status run_trial(Strategy& strategy, const Ask& asked, const Measure& measure, Doubt* doubt) {
  for (std::optional<Ask> next = asked; next;) {
    FLYBALL_ASSIGN(const TrialOutcome seen, measure(*next));
    if (seen.set_aside) {
      strategy.recall(*next, seen.reading, seen.failure);
      return {};
    }
    strategy.tell(*next, seen.reading, seen.failure);
    const Ask told = *next;
    if (!doubt || strategy.is_out_of_time()) return {};
    next = doubt->again(strategy.history(), told);
  }
  return {};
}

Status run_trials(Strategy& strategy, const Measure& measure, Doubt* doubt) {
  while (const auto asked = strategy.ask())
    FLYBALL_CHECK(run_trial(strategy, *asked, measure, doubt));
  return {};
}

Result<Answer> run_search(Strategy& strategy, const Measure& measure, Doubt* doubt) {
  FLYBALL_CHECK(run_trials(strategy, measure, doubt));
  return strategy.answer();
}

Result<Answer> run_search(Strategy& strategy, const Readings& readings) {
  return run_search(strategy, [&](const Ask& ask) -> Result<TrialOutcome> {
    const Reading& reading = readings[ask.role][ask.candidate];
    return TrialOutcome{reading, reading.minibatch_ms > 0 ? "" : "the table holds no time"};
  });
}

}  // namespace flyball
