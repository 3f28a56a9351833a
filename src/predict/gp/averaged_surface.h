// One figure under several sets of references (none, each, all, and a simulation of the same
// workload), averaged by how probable each set makes the readings. Few readings do not tell which
// earlier workload this one is like, and the sets' disagreement then widens the intervals; with
// many one set has all the weight.
#pragma once

#include <string>
#include <vector>

#include "predict/gp/reference_weights.h"
#include "predict/gp/told_rows.h"

namespace flyball {

/// Time or power: its form, priors, and which of the references' properties it uses.
struct TransferredFigure {
  SurfaceForm form;
  const SurfacePriors* alone;
  const SurfacePriors* transfer;
  SourceParameters parameters;
  Vector (TransferSource::*field)(const Space&) const;
};

/// Who is fitted, and who may teach it.
struct TargetTask {
  std::string device;
  Phase phase = Phase::train;
  TransferSources references;
  std::shared_ptr<const TransferSource> prior;  ///< the same workload, simulated; may be null
  ReferenceWeights reference_weights;
};

/// Draws of the parameters that an averaged surface may truly have.
struct SurfaceWorlds {
  struct World {
    size_t set = 0;    ///< of AveragedSurface
    Index column = 0;  ///< of the set's FormWorlds
  };
  std::vector<World> worlds;
  std::vector<FormWorlds> sets;  ///< nothing where a set has too little weight for one
};

class AveragedSurface {
 public:
  /// `values`: one per row; those that are not finite and above zero are left out. Nothing need be
  /// read where something is told.
  void fit(const TransferredFigure& figure, const TargetTask& task, const Space& space,
           const SurfaceRows& rows, const std::vector<double>& values,
           const std::vector<ToldRows>& told);
  /// `rows` are those of `space`; their fields are filled in here.
  Surface::Answer at(const Space& space, SurfaceRows rows) const;

  /// Joint samples of the logarithm, count × rows; so many of each set as it has weight.
  Matrix draw(const Space& space, const SurfaceRows& rows, Index count, uint64_t seed) const;

  /// Draws of the forms' parameters, as many of each set as it has weight, in a random order: of
  /// which set one is says nothing of another figure's. Equal for equal seeds.
  SurfaceWorlds worlds(Index count, uint64_t seed) const;
  /// As at() takes them, of one of the sets in worlds(): the set's fields filled in.
  SurfaceRows with_fields(const Space& space, SurfaceRows rows, size_t set) const;
  const Surface& surface(size_t set) const { return parts_[set].surface; }

  /// Of the likeliest set.
  double level() const { return parts_.front().surface.level(); }
  bool alone() const { return parts_.front().references.empty(); }
  const FormGp& process() const { return parts_.front().surface.process(); }
  /// The row that the i-th reading of the process was.
  Index row_of(Index i) const { return known_[static_cast<size_t>(i)]; }

 private:
  struct Part {
    Surface surface;
    TransferSources references;
    double likely_before = 1;  ///< relative to the others, before any reading
    double weight = 1;
  };
  Matrix fields(const TransferSources& references, const Space& space) const;
  /// How many of `count` draws each set has, by its weight.
  std::vector<Index> shares_of(Index count) const;

  std::vector<Part> parts_;  // likeliest first, weights add up to 1
  std::vector<Index> known_;
  Vector (TransferSource::*field_)(const Space&) const = nullptr;
};

}  // namespace flyball
