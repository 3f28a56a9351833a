// One short tune, to see that modes are set, measured and put back by the whole of Flyball.
#pragma once

#include "device/verify/verify_steps.h"

namespace flyball::cli {

/// Of lenet5 on a few drawn digits where LibTorch is, else of a shell's loop. Nothing is kept in a
/// store. Error: `interrupted`; all else is a step that failed.
Result<CheckedStep> short_tune(const ShortTune& request);

}  // namespace flyball::cli
