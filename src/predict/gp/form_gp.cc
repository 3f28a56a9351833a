#include "predict/gp/form_gp.h"

#include <cmath>

#include "base/random.h"
#include "predict/gp/lbfgs.h"
#include "predict/gp/process_draws.h"
#include "predict/gp/wide_product.h"

namespace flyball {
namespace {

constexpr int rounds = 3;         // of β given the hyper-parameters, and these given β
constexpr int robust_rounds = 2;  // more of them, in which contradicted rows lose weight
constexpr int gauss_newton_steps = 8;
constexpr double jitter = 1e-10;
constexpr Index updated_rows = 256;

enum : Index { log_amplitude, log_noise, first_length };

Vector prior_of(const GpPriors& priors, Index axes, double LogPrior::*part) {
  Vector v(first_length + axes + 1);
  v[log_amplitude] = priors.amplitude.*part;
  v[log_noise] = priors.noise.*part;
  v.segment(first_length, axes).setConstant(priors.length.*part);
  v[first_length + axes] = priors.share_noise.*part;
  return v;
}

}  // namespace

Matrix FormGp::kernel(const Vector& hyper) const {
  const auto axes = static_cast<Index>(x_.axes());
  return std::exp(2 * hyper[log_amplitude]) *
         matern(x_, x_, hyper.segment(first_length, axes).array().exp());
}

Vector FormGp::noise(const Vector& hyper) const {
  const double extra = std::exp(hyper[hyper.size() - 1]);
  return std::exp(2 * hyper[log_noise]) * noise_factor_.array() *
             (1 + extra * share_.array().square()) +
         jitter;
}

void FormGp::fit(const CodedRows& x, const Vector& y, const GpMean& mean, const GpPriors& priors,
                 const Matrix& errors) {
  priors_ = priors;
  x_ = x;
  y_ = y;
  errors_ = errors.rows() > 0 ? errors : Matrix(Matrix::Zero(y.size(), y.size()));
  readings_ = (errors_.diagonal().array() == 0).count();
  prior_mean_ = mean.prior_mean;
  prior_variance_ = mean.prior_sd.array().square();
  beta_ = prior_mean_;
  hyper_ = prior_of(priors_, static_cast<Index>(x.axes()), &LogPrior::mean);
  noise_factor_ = Vector::Ones(y.size());
  linearise(mean);
  for (int round = 0; round < rounds + robust_rounds; ++round) {
    find_beta(mean);
    if (round >= rounds) down_weight();
    const auto loss_of = [this](const Vector& h, Vector& gradient) { return loss(h, gradient); };
    const Minimum found = minimise(loss_of, hyper_);
    hyper_ = found.x;
    evidence_ = -found.value;
  }
  condition();
}

void FormGp::linearise(const GpMean& mean) {
  const FormValue form = mean.at(beta_);
  jacobian_ = form.jacobian;
  share_ = mean.share(jacobian_);
  target_ = y_ - form.value + jacobian_ * (beta_ - prior_mean_);
  spread_ = jacobian_ * prior_variance_.asDiagonal() * jacobian_.transpose();
}

Eigen::LLT<Matrix> FormGp::around_form() const {
  Matrix covariance = kernel(hyper_) + errors_;
  covariance.diagonal() += noise(hyper_);
  return Eigen::LLT<Matrix>(covariance);
}

// Gauss-Newton with halved steps on (y − f)ᵀ K⁻¹ (y − f) + (β − μ)ᵀ S⁻¹ (β − μ).
Vector FormGp::most_probable(const std::function<FormValue(const Vector& beta)>& at,
                             const Eigen::LLT<Matrix>& factor, const Vector& y, const Vector& prior,
                             Vector beta) const {
  const Vector precision = prior_variance_.cwiseInverse();
  const auto cost = [&](const Vector& residual, const Vector& asked) {
    return factor.matrixL().solve(residual).squaredNorm() +
           (asked - prior).cwiseAbs2().dot(precision);
  };
  FormValue form = at(beta);
  Vector residual = y - form.value;
  double now = cost(residual, beta);
  for (int step = 0; step < gauss_newton_steps; ++step) {
    const Matrix whitened = factor.matrixL().solve(form.jacobian);
    Matrix hessian = whitened.transpose() * whitened;
    hessian.diagonal() += precision;
    const Vector slope = whitened.transpose() * factor.matrixL().solve(residual) -
                         precision.cwiseProduct(beta - prior);
    const Vector direction = hessian.llt().solve(slope);
    double length = 1;
    bool better = false;
    for (; length > 1e-2 && !better; length /= 2) {
      const Vector next = beta + length * direction;
      FormValue there = at(next);
      const Vector rest = y - there.value;
      const double value = cost(rest, next);
      better = value <= now;
      if (!better) continue;
      beta = next;
      form = std::move(there);
      residual = rest;
      now = value;
    }
    if (!better || (direction * length).cwiseAbs().maxCoeff() < 1e-3) break;
  }
  return beta;
}

void FormGp::find_beta(const GpMean& mean) {
  beta_ = most_probable(mean.at, around_form(), y_, prior_mean_, beta_);
  linearise(mean);
}

double FormGp::loss(const Vector& hyper, Vector& gradient) const {
  const auto axes = static_cast<Index>(x_.axes());
  const Matrix k = kernel(hyper);
  const Vector noises = noise(hyper);
  Matrix covariance = k + spread_ + errors_;
  covariance.diagonal() += noises;
  const Eigen::LLT<Matrix> factor(covariance);
  if (factor.info() != Eigen::Success) return INFINITY;
  const Vector alpha = factor.solve(target_);
  Matrix q = factor.solve(Matrix::Identity(k.rows(), k.cols()));
  q.noalias() -= alpha * alpha.transpose();
  double value = 0.5 * target_.dot(alpha);
  for (Index i = 0; i < k.rows(); ++i) value += std::log(factor.matrixLLT()(i, i));
  gradient.resize(hyper.size());
  const Matrix weighted = q.cwiseProduct(k);
  gradient[log_amplitude] = weighted.sum();
  gradient[log_noise] = q.diagonal().dot(noises);
  for (Index d = 0; d < axes; ++d) {
    const double length = std::exp(hyper[first_length + d]);
    gradient[first_length + d] =
        x_.values[static_cast<size_t>(d)].size() < 2
            ? 0
            : 0.5 *
                  weighted.cwiseProduct(matern_log_slope(x_, static_cast<size_t>(d), length)).sum();
  }
  const double extra = std::exp(hyper[hyper.size() - 1]);
  const Vector by_share =
      std::exp(2 * hyper[log_noise]) * extra * noise_factor_.array() * share_.array().square();
  gradient[hyper.size() - 1] = 0.5 * q.diagonal().dot(by_share);
  const Vector centre = prior_of(priors_, axes, &LogPrior::mean);
  const Vector sd = prior_of(priors_, axes, &LogPrior::sd);
  const Vector off = (hyper - centre).cwiseQuotient(sd);
  value += 0.5 * off.squaredNorm();
  gradient += off.cwiseQuotient(sd);
  return value;
}

void FormGp::condition() {
  Matrix covariance = kernel(hyper_) + spread_ + errors_;
  covariance.diagonal() += noise(hyper_);
  factor_.compute(covariance);
  alpha_ = factor_.solve(target_);
  inverse_ = factor_.matrixL().solve(Matrix::Identity(covariance.rows(), covariance.cols()));
  leave_out(covariance.topLeftCorner(readings_, readings_));
}

// What was told does not speak against a reading: readings do.
void FormGp::leave_out(const Matrix& covariance) {
  const Eigen::LLT<Matrix> factor(covariance);
  const Vector precision = factor.solve(Matrix::Identity(readings_, readings_)).diagonal();
  left_out_error_ = factor.solve(target_.head(readings_)).cwiseQuotient(precision);
  // Without the widening: the variance of a good reading there.
  const Vector noises = noise(hyper_).head(readings_);
  left_out_variance_ = (precision.cwiseInverse() - noises).cwiseMax(0) +
                       noises.cwiseQuotient(noise_factor_.head(readings_));
}

void FormGp::down_weight() {
  condition();
  const Vector good = noise(hyper_).cwiseQuotient(noise_factor_);
  for (Index i = 0; i < readings_; ++i) {
    const double error = left_out_error_[i] * left_out_error_[i], expected = left_out_variance_[i];
    noise_factor_[i] = error > priors_.outlier * expected ? 1 + (error - expected) / good[i] : 1;
  }
}

std::vector<Index> FormGp::down_weighted() const {
  std::vector<Index> rows;
  for (Index i = 0; i < noise_factor_.size(); ++i)
    if (noise_factor_[i] > 1) rows.push_back(i);
  return rows;
}

GpPosterior FormGp::predict(const CodedRows& x, const FormValue& form, const Vector& share) const {
  const Vector length = lengths();
  const double amplitude = std::exp(2 * hyper_[log_amplitude]);
  GpPosterior posterior;
  posterior.mean = form.value - form.jacobian * (beta_ - prior_mean_);
  posterior.variance.resize(x.rows);
  // Covariances with the fitted rows are [J a²] · [S jᵀ; k]; j and k are of the rows asked for.
  const Index n = y_.size(), count = prior_mean_.size();
  Matrix reach(n, count + n);
  reach << inverse_ * jacobian_, amplitude * inverse_;
  Vector weights(count + n);
  weights << jacobian_.transpose() * alpha_, amplitude * alpha_;
  // In blocks that stay in the cache; one column per row asked for.
  for (Index first = 0; first < x.rows; first += updated_rows) {
    const Index size = std::min(updated_rows, x.rows - first);
    const auto jacobian = form.jacobian.middleRows(first, size);
    Matrix parts(count + n, size);
    parts.topRows(count) = prior_variance_.asDiagonal() * jacobian.transpose();
    parts.bottomRows(n) = matern(x_, x.block(first, size), length);
    posterior.mean.segment(first, size).noalias() += parts.transpose() * weights;
    const Vector before =
        parts.topRows(count).cwiseProduct(jacobian.transpose()).colwise().sum().transpose();
    posterior.variance.segment(first, size) =
        (amplitude + before.array() - squared_columns(reach, parts).array()).max(1e-10);
  }
  posterior.noise = std::exp(2 * hyper_[log_noise]) *
                    (1 + std::exp(hyper_[hyper_.size() - 1]) * share.array().square());
  return posterior;
}

FormWorlds FormGp::worlds(const std::function<FormValue(const Vector& beta)>& at, Index count,
                          uint64_t seed) const {
  const Index n = y_.size(), parameters = prior_mean_.size();
  FormWorlds worlds{Matrix(parameters, count), Matrix(n, count), around_form()};
  const Index pairs = (count + 1) / 2;
  const Matrix priors = normal_numbers(pairs, parameters, mix_seed(seed, 1)) *
                        prior_variance_.cwiseSqrt().asDiagonal();
  const Matrix errors = normal_numbers(pairs, n, mix_seed(seed, 2));
  const Matrix lower = worlds.factor.matrixL();
  for (Index i = 0; i < count; ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    const Vector prior = prior_mean_ + sign * priors.row(i / 2).transpose();
    const Vector read = y_ + sign * (lower * errors.row(i / 2).transpose());
    worlds.beta.col(i) = most_probable(at, worlds.factor, read, prior, beta_);
    worlds.pull.col(i) = worlds.factor.solve(y_ - at(worlds.beta.col(i)).value);
  }
  return worlds;
}

AroundForms FormGp::around(const CodedRows& x, const FormWorlds& worlds) const {
  const Matrix covariance = covariances(x);  // readings × rows
  const Vector known =
      worlds.factor.matrixL().solve(covariance).colwise().squaredNorm().transpose();
  return {covariance.transpose() * worlds.pull,
          (std::exp(2 * hyper_[log_amplitude]) - known.array()).max(1e-10)};
}

Matrix FormGp::draw(const CodedRows& x, const FormValue& form, Index count, uint64_t seed) const {
  const double amplitude = std::exp(hyper_[log_amplitude]);
  const Index n = y_.size(), count_of_beta = prior_mean_.size();
  const Matrix process =
      amplitude * process_draws(joined(x_, x), lengths(), count, mix_seed(seed, 1));
  const Matrix beta = normal_numbers(count, count_of_beta, mix_seed(seed, 2)) *
                      prior_variance_.cwiseSqrt().asDiagonal();
  Matrix of_errors = errors_;
  of_errors.diagonal() += noise(hyper_);
  const Matrix errors =
      normal_numbers(count, n, mix_seed(seed, 3)) * Matrix(of_errors.llt().matrixL()).transpose();
  Matrix apart = target_.transpose().replicate(count, 1);
  apart -= beta * jacobian_.transpose() + process.leftCols(n) + errors;
  const Matrix weights = factor_.solve(apart.transpose()).transpose();  // count × n
  const Matrix moved = beta + weights * jacobian_ * prior_variance_.asDiagonal();
  Matrix draws = process.rightCols(x.rows);
  draws.noalias() += moved * form.jacobian.transpose();
  draws.noalias() += weights * covariances(x);
  const Vector centre = form.value - form.jacobian * (beta_ - prior_mean_);
  draws.rowwise() += centre.transpose();
  return draws;
}

Vector FormGp::lengths() const {
  return hyper_.segment(first_length, static_cast<Index>(x_.axes())).array().exp();
}

Matrix FormGp::covariances(const CodedRows& x) const {
  return std::exp(2 * hyper_[log_amplitude]) * matern(x_, x, lengths());
}

}  // namespace flyball
