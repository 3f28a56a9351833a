// What a twin says of a workload before anything is measured, as predictors take it: a table over
// few values of each axis (WorkloadTable::prior).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "space/table.h"
#include "twin/twin.h"

namespace flyball {

/// The workload on the twin of `board`, over a grid of the values of these axes that the twin knows
/// and that fit its memory; axes that it does not know are left out. Its power is the named total,
/// or where the board tells no such the twin's own, and named so.
/// `mean`: times are means, of which an epoch is made; else medians, as tables hold them.
/// `fixed`: run settings that are no axis, such as a job's batch size.
Result<WorkloadTable> twin_prior(const TwinBoard& board, const TwinWorkload& workload,
                                 const std::string& power_total, std::span<const Axis> axes,
                                 bool mean = false, const Settings& fixed = {});

/// The same for workload, phase and power total of a table. Null where the twin knows no such
/// network, or none of the configurations.
std::shared_ptr<const WorkloadTable> known_prior(const TwinBoard& board, const WorkloadTable& asked,
                                                 std::span<const Axis> axes,
                                                 const Settings& fixed = {});
/// Does a network of this name take about the work that was counted? Of larger images, say, the
/// twin knows nothing. True also where nobody can tell.
bool is_work_of_twin(const std::string& workload, Phase phase, const Cost& counted);

}  // namespace flyball
