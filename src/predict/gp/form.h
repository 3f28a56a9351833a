// Mean functions of a physical shape: log of a sum of non-negative terms in powers of the axes,
// whose log weights are the parameters. This file: what such forms are made of.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "predict/gp/coordinates.h"
#include "predict/matrix.h"

namespace flyball {

/// A parameter of a form: its name is shared between workloads and boards.
struct FormParameter {
  std::string name;
  double mean, sd;  ///< normal prior
};

/// What a form says of n configurations.
struct FormValue {
  Vector value;     ///< logarithm, up to a level that is not the form's business
  Matrix jacobian;  ///< n × parameters
};

namespace form {

/// At most this many parameters in one form: gradients live on the stack.
inline constexpr int capacity = 22;
/// At most so many axes of unknown meaning have terms of their own.
inline constexpr int most_others = 4;
using Gradient = Eigen::Array<double, capacity, 1>;

/// A logarithm with its derivatives by the parameters.
struct Term {
  double value;
  Gradient gradient;
};

/// θ_i + offset.
Term leaf(const Vector& theta, int i, double offset);
/// log Σ exp(term).
Term log_sum(std::initializer_list<Term> terms);
/// log of the p-norm of exp(term), p = 1 + exp(θ_i): between a sum (p = 1) and the largest.
Term log_norm(const Vector& theta, int i, std::initializer_list<Term> terms);

}  // namespace form
}  // namespace flyball
