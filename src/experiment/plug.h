// A plug meter's log joined to an experiment, also to runs of earlier days.
#pragma once

#include "experiment/runner.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

/// Joins the log (parse_plug_log()) by time: where it covers an epoch without a gap, the epoch's
/// energy and power are the plug's. Runs that it does not cover say so in their power_gap. Error:
/// it covers no epoch at all; nothing is changed then.
Status join_plug(ExperimentResult& result, const Trace& log);

}  // namespace flyball
