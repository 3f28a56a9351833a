#include "cli/session_progress.h"

#include <fmt/format.h>

namespace flyball::cli {

SessionListener show_progress(Progress& progress) {
  return [&progress, asked = TrialAsked{}](const SessionEvent& event) mutable {
    if (const auto* trial = std::get_if<TrialAsked>(&event)) {
      asked = *trial;
      progress.show(asked.done, asked.total,
                    fmt::format("{} {} at {}", asked.verification ? "verifying" : "measuring",
                                asked.who->workload, describe(asked.settings)));
    } else if (const auto* sampled = std::get_if<TrialSampled>(&event)) {
      progress.show(asked.done, asked.total,
                    fmt::format("{} at {}: {}", asked.who->workload, describe(asked.settings),
                                sampled->sample.minibatches == 0
                                    ? std::string("warming up")
                                    : fmt::format("{} minibatches, the last {} ms",
                                                  sampled->sample.minibatches,
                                                  number(sampled->sample.minibatch_ms))));
    } else if (std::holds_alternative<Predicted>(event) && asked.total > 0) {
      progress.show(asked.done, asked.total, "predicting the rest");
    }
  };
}

}  // namespace flyball::cli
