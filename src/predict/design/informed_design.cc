#include "predict/design/informed_design.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "predict/gp/form_fit.h"
#include "predict/gp/gp.h"
#include "predict/gp/surface_forms.h"
#include "predict/rows.h"

namespace flyball {
namespace {

constexpr size_t looked_at = 400;  // configurations of a large space
constexpr double free_level_sd = 3;

// Covariance of one figure at some configurations, given what was observed.
class PosteriorCovariance {
 public:
  PosteriorCovariance(const SurfaceForm& form, const SurfaceRows& rows,
                      const SurfacePriors& priors) {
    const FormValue value = form.at(rows, prior_means(form.parameters));
    Matrix basis(rows.size(), 1 + rows.rows.other.cols() + value.jacobian.cols());
    basis << Vector::Ones(rows.size()), rows.rows.other, value.jacobian;
    Vector variance(basis.cols());
    variance << free_level_sd * free_level_sd,
        Vector::Constant(rows.rows.other.cols(), priors.slope_sd * priors.slope_sd),
        prior_sds(form.parameters).cwiseAbs2();
    const Vector lengths =
        Vector::Constant(static_cast<Index>(rows.rows.x.axes()), std::exp(priors.gp.length.mean));
    covariance_ =
        basis * variance.asDiagonal() * basis.transpose() +
        std::exp(2 * priors.gp.amplitude.mean) * matern(rows.rows.x, rows.rows.x, lengths);
    noise_ =
        std::exp(2 * priors.gp.noise.mean) *
        (1 + std::exp(priors.gp.share_noise.mean) * form.share(value.jacobian).array().square());
  }

  /// By how much each reading would lower the mean variance.
  Vector gains() const {
    return covariance_.colwise().squaredNorm().transpose().cwiseQuotient(covariance_.diagonal() +
                                                                         noise_) /
           static_cast<double>(covariance_.rows());
  }
  double mean_variance() const { return covariance_.diagonal().mean(); }
  void observe(Index i) {
    const Vector column = covariance_.col(i);
    covariance_.noalias() -= column * (column / (column[i] + noise_[i])).transpose();
  }

 private:
  Matrix covariance_;
  Vector noise_;
};

TransferSources usable(const DesignRequest& request) {
  TransferSources ready;
  for (const WorkloadTable& reference : request.references)
    if (check_rows(reference, 2).ok()) ready.push_back(TransferSource::prepare(reference));
  return ready;
}

std::vector<PosteriorCovariance> before_any(const DesignRequest& request, const Space& space) {
  const Coordinates coordinates(space, request.device, request.phase, request.references);
  const auto rows = coordinates.rows(space);
  SurfaceRows all{*rows, Matrix(rows->size(), 0), Vector::Zero(rows->size())};
  const GpSettings settings;
  const TransferSources references = usable(request);
  const auto figure = [&](SurfaceForm form, SourceParameters values, const SurfacePriors& alone,
                          const SurfacePriors& transferred) {
    apply_references(form.parameters, references, values, request.device, request.phase,
                     settings.reference_weights);
    return std::pair(std::move(form), references.empty() ? alone : transferred);
  };
  const auto [time, time_priors] =
      figure(time_surface(coordinates), &TransferSource::time_parameters, settings.time,
             settings.time_transfer);
  std::vector<PosteriorCovariance> figures = {PosteriorCovariance(time, all, time_priors)};
  all.log_time = time.at(all, prior_means(time.parameters)).value;
  const auto [power, power_priors] =
      figure(power_surface(coordinates), &TransferSource::power_parameters, settings.power,
             settings.power_transfer);
  figures.emplace_back(power, all, power_priors);
  return figures;
}

}  // namespace

Result<std::vector<size_t>> choose_informed(const DesignRequest& request) {
  Random random(request.seed);
  const size_t n = request.space->size(),
               shown = std::min(n, std::max(looked_at, 4 * request.count));
  const std::vector<size_t> candidates = random.sample(n, shown);
  std::vector<PosteriorCovariance> figures = before_any(request, request.space->subset(candidates));
  std::vector<size_t> chosen = {candidates.front()};
  std::vector<bool> taken(shown, false);
  std::vector<double> weights;
  Index next = 0;
  while (true) {
    taken[static_cast<size_t>(next)] = true;
    for (PosteriorCovariance& figure : figures) figure.observe(next);
    if (chosen.size() == request.count) return chosen;
    // Relative to what is open once the level is known: time and power count the same.
    if (weights.empty())
      for (const PosteriorCovariance& figure : figures)
        weights.push_back(1 / figure.mean_variance());
    Vector gains = Vector::Zero(static_cast<Index>(shown));
    for (size_t f = 0; f < figures.size(); ++f) gains += weights[f] * figures[f].gains();
    next = -1;
    for (Index i = 0; i < gains.size(); ++i)
      if (!taken[static_cast<size_t>(i)] && (next < 0 || gains[i] > gains[next])) next = i;
    chosen.push_back(candidates[static_cast<size_t>(next)]);
  }
}

}  // namespace flyball
