// An epoch run as people and programs read it.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "profile/characterise/epochs.h"

namespace flyball {

/// As `flyball profile --json` shows it (docs/json.md lists every key).
Json epochs_json(const EpochRun& run);
/// Energy of a window, or null.
Json energy_json(const std::optional<EnergyWindow>& energy);
/// What the GPU did, or null.
Json gpu_json(const std::optional<GpuUse>& gpu);
/// "epoch 3 took 21.4 s, far beyond the others (median 0.81 s)", of epochs that took far longer for
/// a minibatch than the spread of the others lets expect; "" where none did.
std::string outlying_epochs(const EpochRun& run);
/// "batch 16, 2 workers, prefetch 2, sgd, fp32, 2 threads on cpu".
std::string describe(const EpochRequest& request);

}  // namespace flyball
