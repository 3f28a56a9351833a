#include "predict/gp/worlds_at.h"

namespace flyball {

WorldsAt::WorldsAt(const AveragedSurface& figure, const SurfaceWorlds& worlds, const Space& space,
                   const SurfaceRows& rows)
    : figure_(figure), worlds_(worlds) {
  for (size_t set = 0; set < worlds.sets.size(); ++set) {
    const bool drawn = worlds.sets[set].beta.cols() > 0;
    rows_.push_back(drawn ? figure.with_fields(space, rows, set) : SurfaceRows{});
    around_.push_back(drawn ? figure.surface(set).process().around(rows.rows.x, worlds.sets[set])
                            : AroundForms{});
  }
}

Vector WorldsAt::mean(size_t world, const Vector& log_time) {
  const auto [set, column] = worlds_.worlds[world];
  rows_[set].log_time = log_time;
  return figure_.surface(set).form_of(rows_[set], worlds_.sets[set].beta.col(column)) +
         around_[set].mean.col(column);
}

}  // namespace flyball
