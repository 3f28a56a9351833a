#include "predict/gp/form_fit.h"

#include <cmath>

#include "base/statistics.h"

namespace flyball {
namespace {

constexpr int most_steps = 60;
constexpr double converged = 1e-3;

}  // namespace

Vector prior_means(const std::vector<FormParameter>& parameters) {
  Vector v(static_cast<Index>(parameters.size()));
  for (size_t i = 0; i < parameters.size(); ++i) v[static_cast<Index>(i)] = parameters[i].mean;
  return v;
}

Vector prior_sds(const std::vector<FormParameter>& parameters) {
  Vector v(static_cast<Index>(parameters.size()));
  for (size_t i = 0; i < parameters.size(); ++i) v[static_cast<Index>(i)] = parameters[i].sd;
  return v;
}

FormFit fit_form(const std::function<FormValue(const Vector& theta)>& form, const Vector& y,
                 const std::vector<FormParameter>& parameters, double width, double spread) {
  const Vector prior = prior_means(parameters);
  const Vector precision = prior_sds(parameters).array().square().inverse();
  FormFit fit{0, prior};
  FormValue value = form(fit.theta);
  const Vector off = y - value.value;
  fit.level = median(std::span(off.data(), static_cast<size_t>(off.size())));
  const auto cost = [&](const Vector& residual, const Vector& theta) {
    const double loss =
        2 * width * width * ((1 + (residual / width).array().square()).sqrt() - 1).sum();
    return loss / (spread * spread) + (theta - prior).cwiseAbs2().dot(precision);
  };
  Vector residual = off.array() - fit.level;
  double now = cost(residual, fit.theta);
  for (int step = 0; step < most_steps; ++step) {
    // Iteratively reweighted Gauss-Newton.
    const Vector weights =
        (1 + (residual / width).array().square()).sqrt().inverse() / (spread * spread);
    Matrix design(y.size(), prior.size() + 1);
    design << Vector::Ones(y.size()), value.jacobian;
    const Matrix weighted = weights.asDiagonal() * design;
    Matrix hessian = design.transpose() * weighted;
    hessian.diagonal().tail(prior.size()) += precision;
    hessian.diagonal().array() += 1e-9;
    Vector slope = weighted.transpose() * residual;
    slope.tail(prior.size()) -= precision.cwiseProduct(fit.theta - prior);
    const Vector direction = hessian.llt().solve(slope);
    bool better = false;
    double length = 1;
    for (; length > 1e-3 && !better; length /= 2) {
      const FormFit next{fit.level + length * direction[0],
                         fit.theta + length * direction.tail(prior.size())};
      FormValue there = form(next.theta);
      const Vector rest = (y - there.value).array() - next.level;
      const double then = cost(rest, next.theta);
      better = then <= now;
      if (!better) continue;
      fit = next;
      value = std::move(there);
      residual = rest;
      now = then;
    }
    if (!better || (2 * length * direction).cwiseAbs().maxCoeff() < converged) break;
  }
  return fit;
}

}  // namespace flyball
