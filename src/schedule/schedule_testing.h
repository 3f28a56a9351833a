// What tests of the scheduler share: jobs with known durations.
#pragma once

#include "schedule/simulation.h"

namespace flyball {

constexpr int64_t ms = 1'000'000;

/// A batch of k takes `one` + (k − 1)·`more` ms.
inline DurationModel batch_curve(double one, double more, int64_t largest) {
  DurationModel curve;
  curve.expect(1, one * 1e6);
  if (largest > 1) curve.expect(largest, (one + static_cast<double>(largest - 1) * more) * 1e6);
  return curve;
}

inline DurationModel minibatch_of(double train_ms) {
  DurationModel model;
  model.expect(1, train_ms * 1e6);
  return model;
}

/// One service and one training, with the arrivals to be named.
inline Simulation one_and_one(double latency_ms, int64_t batch, double one_ms, double more_ms,
                              double train_ms) {
  Simulation asked;
  asked.services.push_back({.name = "net",
                            .latency_ns = static_cast<int64_t>(latency_ms * 1e6),
                            .largest_batch = batch});
  asked.trainings.push_back({.name = "learn"});
  asked.plan.mode_text = "only";
  asked.plan.services.push_back({batch_curve(one_ms, more_ms, batch), 20});
  asked.plan.trainings.push_back({minibatch_of(train_ms), 30});
  asked.plan.largest_batch = {batch};
  asked.plan.idle_w = 5;
  return asked;
}

}  // namespace flyball
