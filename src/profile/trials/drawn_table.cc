#include "profile/trials/drawn_table.h"
#include "base/os/interrupt.h"

#include <limits>

namespace flyball {
namespace {

WorkloadTable empty_table(const ProfilerInfo& info, const Space& space) {
  WorkloadTable table;
  table.device = info.device;
  table.workload = info.workload;
  table.phase = info.phase;
  table.power_total = info.power_total;
  std::vector<Axis> axes = space.axes();
  // A column of the tidy form; what is fixed of the run stands in it, too.
  if (info.job.contains(axis::batch_size)) axes.push_back(named_axis(axis::batch_size));
  for (Axis& axis : axes) axis.values.clear();
  table.space = Space(axes);
  return table;
}

}  // namespace

Result<WorkloadTable> draw_table(Profiler& profiler, const DrawOptions& options) {
  const Space& space = profiler.space();
  const Settings& job = profiler.info().job;
  const auto fixed = job.find(axis::batch_size);
  WorkloadTable table = empty_table(profiler.info(), space);
  for (size_t i = 0; i < space.size(); ++i) {
    FLYBALL_CHECK(check_interrupt(options.interrupted));
    if (options.progress && i % 256 == 0) options.progress(i, space.size());
    FLYBALL_ASSIGN(const Measurement m, profiler.measure(i));
    if (m.failed()) continue;
    std::vector<double> row(space.row(i).begin(), space.row(i).end());
    if (fixed != job.end()) row.push_back(fixed->second);
    table.add(row, m.minibatch_ms, m.power_w().value_or(std::numeric_limits<double>::quiet_NaN()),
              m.provenance);
  }
  if (table.size() == 0)
    return Error{Code::infeasible, table.title() + ": no configuration could run", ""};
  return table;
}

}  // namespace flyball
