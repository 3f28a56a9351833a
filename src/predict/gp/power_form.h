// Power over the clocks, up to a factor: leakage and idle clocks, plus energy per minibatch over
// its time, on a voltage that rises with the clock:
//
//   P ∝ 1 + n + f_cpu + n f_cpu³ + f_gpu³ + f_mem + (b/t)(1 + f_cpu² + f_gpu² + f_mem)
//
// each term with a weight of its own; t is the minibatch time. Where the batch size varies, a GPU
// that has few samples at a time leaves part of its width idle, also where its time is proportional
// to them: its terms count b/(b + b₀). Each axis x of unknown meaning adds x + (b/t) x².
#pragma once

#include "predict/gp/form.h"

namespace flyball {

class PowerForm {
 public:
  PowerForm() = default;
  explicit PowerForm(const Coordinates& coordinates);

  const std::vector<FormParameter>& parameters() const { return parameters_; }
  /// `log_time`: logarithm of the minibatch time of each row, up to a level.
  FormValue at(const Rows& rows, const Vector& log_time, const Vector& theta) const;
  /// The same without the Jacobian.
  Vector value(const Rows& rows, const Vector& log_time, const Vector& theta) const;
  /// Share of the terms that follow the work done; minus the derivative by log_time.
  Vector activity_share(const Matrix& jacobian) const;

 private:
  /// Logarithms of the terms, one in each column, and how much of its width the GPU leaves idle,
  /// relative to what it uses.
  struct Terms {
    Eigen::ArrayXXd logs;
    form::Column idle_width;
  };
  Terms terms(const Rows& rows, const Vector& log_time, const Vector& theta) const;

  std::vector<FormParameter> parameters_;
  bool batch_ = false;
  Index others_ = 0;  ///< axes of unknown meaning, two parameters each at the end
  Vector activity_;   ///< 1 for terms that follow the work done
};

}  // namespace flyball
