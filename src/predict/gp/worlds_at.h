// What one figure may truly be at some configurations: each world that was drawn has its own form,
// and around it the process is a normal distribution.
#pragma once

#include <vector>

#include "predict/gp/averaged_surface.h"

namespace flyball {

class WorldsAt {
 public:
  /// `rows` are those of `space`; `figure` and `worlds` must outlive it.
  WorldsAt(const AveragedSurface& figure, const SurfaceWorlds& worlds, const Space& space,
           const SurfaceRows& rows);

  size_t count() const { return worlds_.worlds.size(); }
  /// Mean of the logarithm in a world; `log_time`: as SurfaceRows has it, which only power needs,
  /// and which the rows then keep.
  Vector mean(size_t world, const Vector& log_time);
  /// Of the logarithm around that mean.
  const Vector& variance(size_t world) const { return around_[set_of(world)].variance; }

 private:
  size_t set_of(size_t world) const { return worlds_.worlds[world].set; }

  const AveragedSurface& figure_;
  const SurfaceWorlds& worlds_;
  std::vector<SurfaceRows> rows_;    ///< by set, with its fields
  std::vector<AroundForms> around_;  ///< by set
};

}  // namespace flyball
