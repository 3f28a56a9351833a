#include "predict/gp/surface.h"

#include <cmath>

#include "base/statistics.h"
#include "predict/gp/form_fit.h"

namespace flyball {
namespace {

constexpr double level_sd = 3;  // a factor of twenty either way: the level is free

}  // namespace

// β = (level, slopes, weights of the fields, θ).
FormValue Surface::mean(const SurfaceRows& rows, const Vector& beta) const {
  const FormValue form = form_.at(rows, beta.tail(parameters_));
  FormValue whole;
  whole.value = with_line(rows, beta, form.value);
  whole.jacobian.resize(rows.size(), beta.size());
  whole.jacobian << Vector::Ones(rows.size()), rows.rows.other, rows.fields, form.jacobian;
  return whole;
}

void Surface::fit(const SurfaceForm& form, const SurfaceRows& rows, const Vector& log_values,
                  const SurfacePriors& priors, const Matrix& errors) {
  form_ = form;
  read_ = rows;
  parameters_ = static_cast<Index>(form.parameters.size());
  slopes_ = rows.rows.other.cols();
  fields_ = rows.fields.cols();
  GpMean mean_function;
  const Index size = 1 + slopes_ + fields_ + parameters_;
  Vector& centre = mean_function.prior_mean = Vector::Zero(size);
  Vector& sd = mean_function.prior_sd = Vector::Constant(size, level_sd);
  sd.segment(1, slopes_).setConstant(priors.slope_sd);
  const double references = static_cast<double>(std::max<Index>(1, fields_));
  centre.segment(1 + slopes_, fields_).setConstant(priors.field_weight / references);
  sd.segment(1 + slopes_, fields_).setConstant(priors.field_sd / std::sqrt(references));
  centre.tail(parameters_) = prior_means(form.parameters);
  sd.tail(parameters_) = prior_sds(form.parameters);
  const Vector off = log_values - form.at(rows, centre.tail(parameters_)).value;
  centre[0] = median(std::span(off.data(), static_cast<size_t>(off.size())));
  mean_function.at = [this](const Vector& beta) { return mean(read_, beta); };
  mean_function.share = [&](const Matrix& jacobian) {
    return form.share(jacobian.rightCols(parameters_));
  };
  process_.fit(rows.rows.x, log_values, mean_function, priors.gp, errors);
}

Surface::Answer Surface::at(const SurfaceRows& rows) const {
  const FormValue form = mean(rows, process_.beta());
  Answer answer{{}, form.jacobian.rightCols(parameters_)};
  answer.posterior = process_.predict(rows.rows.x, form, form_.share(answer.jacobian));
  return answer;
}

Matrix Surface::draw(const SurfaceRows& rows, Index count, uint64_t seed) const {
  return process_.draw(rows.rows.x, mean(rows, process_.beta()), count, seed);
}

FormWorlds Surface::worlds(Index count, uint64_t seed) const {
  return process_.worlds([this](const Vector& beta) { return mean(read_, beta); }, count, seed);
}

Vector Surface::form_of(const SurfaceRows& rows, const Vector& beta) const {
  return with_line(rows, beta, form_.value(rows, beta.tail(parameters_)));
}

Vector Surface::with_line(const SurfaceRows& rows, const Vector& beta, Vector form) const {
  form.array() += beta[0];
  form += rows.rows.other * beta.segment(1, slopes_);
  form += rows.fields * beta.segment(1 + slopes_, fields_);
  return form;
}

Vector Surface::residual(const SurfaceRows& rows) const {
  const FormValue form = mean(rows, process_.beta());
  const Vector none = Vector::Zero(rows.size());
  return process_.predict(rows.rows.x, form, none).mean - form.value;
}

}  // namespace flyball
