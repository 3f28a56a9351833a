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

Matrix WorldsAt::draw_around(Index count, uint64_t seed) const {
  Matrix draws(around_[set_of(0)].variance.size(), count);
  for (size_t set = 0; set < worlds_.sets.size(); ++set) {
    std::vector<Index> own;
    for (Index i = 0; i < count; ++i)
      if (set_of(static_cast<size_t>(i) % this->count()) == set) own.push_back(i);
    if (own.empty()) continue;
    draws(Eigen::all, own) = figure_.surface(set).process().draw_around(
        rows_[set].rows.x, worlds_.sets[set], static_cast<Index>(own.size()), seed);
  }
  return draws;
}

}  // namespace flyball
