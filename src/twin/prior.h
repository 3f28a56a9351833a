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
/// `batch_size`: where that is no axis; 0: the usual one.
Result<WorkloadTable> twin_prior(const TwinBoard& board, const TwinWorkload& workload,
                                 const std::string& power_total, std::span<const Axis> axes,
                                 bool mean = false, double batch_size = 0);

/// The same for workload, phase, power total and batch size of a table. `live`: as trials tell,
/// simulated ones too: times are means, and requests at hand unless a loader is chosen among; else
/// as papers measured their tables. Null where the twin knows no such network or none of the
/// configurations, or where nobody knows how large a minibatch is.
std::shared_ptr<const WorkloadTable> known_prior(const TwinBoard& board, const WorkloadTable& asked,
                                                 std::span<const Axis> axes, bool live = false);
/// Does a network of this name take about the work that was counted? Of larger images, say, the
/// twin knows nothing. False also of networks that it does not know.
bool is_work_of_twin(const std::string& workload, Phase phase, const Cost& counted);

}  // namespace flyball
