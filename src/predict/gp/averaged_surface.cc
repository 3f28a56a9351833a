#include "predict/gp/averaged_surface.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

constexpr double least_weight = 0.02;  // of the likeliest set's

}  // namespace

Matrix AveragedSurface::fields(const TransferSources& references, const Space& space) const {
  Matrix all(static_cast<Index>(space.size()), static_cast<Index>(references.size()));
  for (size_t r = 0; r < references.size(); ++r)
    all.col(static_cast<Index>(r)) = (*references[r].*field_)(space);
  return all;
}

void AveragedSurface::fit(const TransferredFigure& figure, const TargetTask& task,
                          const Space& space, const SurfaceRows& rows,
                          const std::vector<double>& values, const std::vector<ToldRows>& told) {
  field_ = figure.field;
  known_.clear();
  Vector y(rows.size());
  for (Index i = 0; i < rows.size(); ++i) {
    y[i] = std::log(values[static_cast<size_t>(i)]);
    if (std::isfinite(y[i])) known_.push_back(i);
  }
  std::vector<TransferSources> sets = {{}};
  if (!task.references.empty()) sets.push_back(task.references);
  if (task.references.size() > 1)
    for (const auto& reference : task.references) sets.push_back({reference});
  // Beforehand a simulation's own shape, of the same workload, is as likely as all others together.
  // Before anything is read they could only be weighed by what it told itself: it stands alone.
  const double others = static_cast<double>(sets.size());
  if (task.prior && !((*task.prior).*figure.parameters)().empty()) {
    if (known_.empty()) sets.clear();
    sets.push_back({task.prior});
  }
  const Matrix errors = told_errors(static_cast<Index>(known_.size()), told);
  parts_.clear();
  for (TransferSources& set : sets) {
    const bool simulated = !set.empty() && set.front() == task.prior;
    ReferenceWeights weights = task.reference_weights;
    if (simulated) weights.certainty = weights.prior_certainty;
    SurfaceForm form = figure.form;
    apply_references(form.parameters, set, figure.parameters, task.device, task.phase, weights);
    SurfaceRows kept{rows.rows.subset(known_), fields(set, space)(known_, Eigen::all),
                     rows.log_time(known_)};
    Vector log_values = y(known_);
    for (const ToldRows& one : told) {
      SurfaceRows own = one.rows;
      own.fields = fields(set, one.space);
      kept = joined(kept, own);
      log_values = joined(log_values, one.log_values);
    }
    Part part;
    if (simulated) part.likely_before = others;
    SurfacePriors priors = set.empty() ? *figure.alone : *figure.transfer;
    if (simulated) priors.field_weight = 1;
    part.surface.fit(form, kept, log_values, priors, errors);
    part.references = std::move(set);
    parts_.push_back(std::move(part));
  }
  const auto evidence = [](const Part& part) {
    return part.surface.process().evidence() + std::log(part.likely_before);
  };
  std::ranges::stable_sort(parts_, std::greater(), evidence);
  double sum = 0;
  const double highest = evidence(parts_.front());
  for (Part& part : parts_) part.weight = std::exp(evidence(part) - highest);
  std::erase_if(parts_, [](const Part& part) { return part.weight < least_weight; });
  for (const Part& part : parts_) sum += part.weight;
  for (Part& part : parts_) part.weight /= sum;
}

Surface::Answer AveragedSurface::at(const Space& space, SurfaceRows rows) const {
  std::vector<Surface::Answer> answers;
  for (const Part& part : parts_) {
    rows.fields = fields(part.references, space);
    answers.push_back(part.surface.at(rows));
  }
  if (answers.size() == 1) return std::move(answers.front());
  Surface::Answer all = answers.front();
  all.jacobian.setZero();
  Vector &mean = all.posterior.mean, &variance = all.posterior.variance;
  mean.setZero();
  variance.setZero();
  all.posterior.noise.setZero();
  for (size_t k = 0; k < answers.size(); ++k) {
    mean += parts_[k].weight * answers[k].posterior.mean;
    all.posterior.noise += parts_[k].weight * answers[k].posterior.noise;
    all.jacobian += parts_[k].weight * answers[k].jacobian;
  }
  for (size_t k = 0; k < answers.size(); ++k)
    variance += parts_[k].weight *
                (answers[k].posterior.variance + (answers[k].posterior.mean - mean).cwiseAbs2());
  return all;
}

Matrix AveragedSurface::draw(const Space& space, const SurfaceRows& rows, Index count,
                             uint64_t seed) const {
  Matrix draws(count, rows.size());
  // In a random order: which set a draw of time is of says nothing of the one of power.
  const auto order = Random(seed).sample(static_cast<size_t>(count), static_cast<size_t>(count));
  const std::vector<Index> shares = shares_of(count);
  Index done = 0;
  for (size_t set = 0; set < parts_.size(); ++set) {
    if (shares[set] == 0) continue;
    const Matrix own = parts_[set].surface.draw(with_fields(space, rows, set), shares[set], seed);
    for (Index i = 0; i < own.rows(); ++i)
      draws.row(static_cast<Index>(order[static_cast<size_t>(done + i)])) = own.row(i);
    done += shares[set];
  }
  return draws;
}

std::vector<Index> AveragedSurface::shares_of(Index count) const {
  std::vector<Index> shares;
  Index done = 0;
  double weight = 0;
  for (const Part& part : parts_) {
    weight += part.weight;
    const Index until =
        &part == &parts_.back()
            ? count
            : std::min(count, static_cast<Index>(std::lround(weight * static_cast<double>(count))));
    shares.push_back(until - done);
    done = until;
  }
  return shares;
}

SurfaceWorlds AveragedSurface::worlds(Index count, uint64_t seed) const {
  SurfaceWorlds drawn;
  const std::vector<Index> shares = shares_of(count);
  for (size_t set = 0; set < parts_.size(); ++set) {
    for (Index i = 0; i < shares[set]; ++i) drawn.worlds.push_back({set, i});
    drawn.sets.push_back(shares[set] > 0
                             ? parts_[set].surface.worlds(shares[set], mix_seed(seed, set))
                             : FormWorlds{});
  }
  const auto order = Random(seed).sample(drawn.worlds.size(), drawn.worlds.size());
  std::vector<SurfaceWorlds::World> shuffled;
  for (size_t i : order) shuffled.push_back(drawn.worlds[i]);
  drawn.worlds = std::move(shuffled);
  return drawn;
}

SurfaceRows AveragedSurface::with_fields(const Space& space, SurfaceRows rows, size_t set) const {
  rows.fields = fields(parts_[set].references, space);
  return rows;
}

}  // namespace flyball
