// The linear algebra types of the predictors.
#pragma once

#include <Eigen/Dense>

namespace flyball {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

}  // namespace flyball
