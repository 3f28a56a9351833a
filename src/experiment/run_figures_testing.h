// A run of an experiment for tests.
#pragma once

#include "experiment/run_figures.h"

namespace flyball {

inline RunFigures some_run(int workers) {
  RunFigures run;
  run.settings.workers = workers;
  run.settings.medium = "slow disk";
  run.fingerprint = "this machine";
  run.started_utc = "2026-03-01T12:30:05Z";
  run.losses = {2.5, 1.25};
  run.power_gap = "no sensor";
  run.disturbed = "process 7 (flyball tune)";
  EpochFigures epoch{.epoch = 0, .e2e_s = 3, .stall_s = 1, .minibatches = 2};
  epoch.cached_before = 0.5;
  epoch.file_bytes = 3e6;
  epoch.cache_bytes = 1e6;
  epoch.minibatch_ms = spread_of({1, 2, 3, 4});
  run.epochs = {epoch};
  return run;
}

}  // namespace flyball
