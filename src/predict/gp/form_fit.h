// The physical forms alone, fitted so that a few faulty readings do not bend them.
#pragma once

#include <functional>

#include "predict/gp/form.h"

namespace flyball {

/// y ≈ level + form(θ).
struct FormFit {
  double level = 0;
  Vector theta;
};

/// Most probable level and θ under the parameters' priors, with a pseudo-Huber loss that turns
/// linear at deviations of `width`; `spread` is what the form is expected to miss by.
FormFit fit_form(const std::function<FormValue(const Vector& theta)>& form, const Vector& y,
                 const std::vector<FormParameter>& parameters, double width = 0.03,
                 double spread = 0.05);

/// Prior means, and standard deviations, as vectors.
Vector prior_means(const std::vector<FormParameter>& parameters);
Vector prior_sds(const std::vector<FormParameter>& parameters);

}  // namespace flyball
