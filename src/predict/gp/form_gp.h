// A Gaussian process around a physical form:
//
//   y = f(x; β) + g(x) + ε,   β ~ N(μ, S),   g ~ GP(0, a² k),   ε ~ N(0, σ² (1 + h share²) c + E)
//
// k is a Matérn-5/2 product over axes. β is the most probable one and f is linear around it
// (Laplace), so that the marginal likelihood and its gradient by (a, σ, lengths, h) are closed
// forms; those are set to their most probable values under log-normal priors. c ≥ 1 widens the
// noise of rows that the others contradict (leave-one-out), so that faulty readings weigh little. E
// is the covariance of the errors of rows that were told, not read (told_rows.h).
#pragma once

#include <functional>

#include "predict/gp/form.h"
#include "predict/gp/matern.h"

namespace flyball {

/// Normal prior of a logarithm.
struct LogPrior {
  double mean, sd;
};

/// Priors of the hyper-parameters; y is a logarithm, so amplitude and noise are relative errors.
struct GpPriors {
  LogPrior amplitude{-2.53, 0.6};  // 0.08
  LogPrior noise{-3.51, 0.5};      // 0.03
  LogPrior length{0.18, 0.6};      // 1.2
  LogPrior share_noise{1.1, 1.0};  // h = 3
  double outlier = 16;  ///< squared deviation, in variances, beyond which a row counts less
};

/// The mean function at the fitted rows: parameters, prior, value and Jacobian.
struct GpMean {
  Vector prior_mean, prior_sd;
  std::function<FormValue(const Vector& beta)> at;
  /// Share of each row that has extra noise, from its Jacobian; entries 0 … 1.
  std::function<Vector(const Matrix& jacobian)> share;
};

/// What the process says of n rows.
struct GpPosterior {
  Vector mean, variance;  ///< of f + g
  Vector noise;           ///< variance of a reading around it
};

/// Draws of the form's parameters, given the readings, and where each leaves the process.
struct FormWorlds {
  Matrix beta;                ///< parameters × worlds
  Matrix pull;                ///< readings × worlds: (K + N + E)⁻¹ (y − f(β))
  Eigen::LLT<Matrix> factor;  ///< of K + N + E, covariance of the rows around the form
};

/// The process around the forms of worlds, at some rows.
struct AroundForms {
  Matrix mean;      ///< rows × worlds
  Vector variance;  ///< of each row, the same in every world
};

class FormGp {
 public:
  /// `x`: the readings' coordinates. Any number of rows from one up.
  /// `errors`: E, zero of readings, which stand first; no rows where all are.
  void fit(const CodedRows& x, const Vector& y, const GpMean& mean, const GpPriors& priors,
           const Matrix& errors = {});
  /// `form`: the mean function at beta() for the rows of `x`.
  GpPosterior predict(const CodedRows& x, const FormValue& form, const Vector& share) const;

  /// Parameters drawn from their prior and readings with errors drawn to them, each moved to where
  /// both together are most probable (randomised maximum likelihood: Oliver, He, Reynolds,
  /// "Conditioning permeability fields to pressure data", ECMOR 1996), in pairs of opposite signs.
  /// Unlike predict() it takes the form as it is, not as a plane: what has hardly a
  /// share at the most probable parameters may be large in some world. `at`: as in fit().
  FormWorlds worlds(const std::function<FormValue(const Vector& beta)>& at, Index count,
                    uint64_t seed) const;
  AroundForms around(const CodedRows& x, const FormWorlds& worlds) const;
  /// Joint samples of f + g at the rows of `x`, count × rows: draws from the prior moved by what
  /// the readings say against them (Wilson et al., "Pathwise conditioning of Gaussian processes",
  /// JMLR 2021).
  Matrix draw(const CodedRows& x, const FormValue& form, Index count, uint64_t seed) const;

  const Vector& beta() const { return beta_; }
  /// log amplitude, log noise, log length of each axis, log h.
  const Vector& hyper() const { return hyper_; }
  /// Log marginal likelihood, priors of the hyper-parameters included.
  double evidence() const { return evidence_; }
  /// Error of each reading, predicted from the other readings alone.
  const Vector& left_out_error() const { return left_out_error_; }
  /// Readings whose noise was widened.
  std::vector<Index> down_weighted() const;

  /// Minus the log evidence at `hyper` with its gradient, at the present linearisation (for tests).
  double loss(const Vector& hyper, Vector& gradient) const;

 private:
  Matrix kernel(const Vector& hyper) const;
  Vector noise(const Vector& hyper) const;  ///< variance of each row without E, c included
  /// From `beta` on, given readings `y` and a prior of this mean.
  Vector most_probable(const std::function<FormValue(const Vector& beta)>& at,
                       const Eigen::LLT<Matrix>& factor, const Vector& y, const Vector& prior,
                       Vector beta) const;
  void find_beta(const GpMean& mean);
  Eigen::LLT<Matrix> around_form() const;  ///< factor of the readings' covariance around the form
  Vector lengths() const;                  ///< of each axis
  Matrix covariances(const CodedRows& x) const;  ///< of the process, readings × rows of `x`
  void linearise(const GpMean& mean);
  void leave_out(const Matrix& covariance);  ///< of the readings
  void down_weight();
  void condition();

  GpPriors priors_;
  CodedRows x_;
  Vector y_, prior_mean_, prior_variance_, beta_, hyper_, noise_factor_, share_, target_;
  Matrix errors_, jacobian_, spread_;  ///< spread_ = J S Jᵀ
  Eigen::LLT<Matrix> factor_;
  Matrix inverse_;  ///< of the factor's lower triangle
  Vector alpha_, left_out_error_, left_out_variance_;
  double evidence_ = 0;
  Index readings_ = 0;
};

}  // namespace flyball
