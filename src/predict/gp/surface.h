// One figure (time or power) of a workload over its configurations: a physical form, slopes along
// axes of unknown meaning, residual fields of references, and a Gaussian process around them.
#pragma once

#include <functional>
#include <memory>

#include "predict/gp/form_gp.h"

namespace flyball {

/// The rows a surface is fitted on or asked about.
struct SurfaceRows {
  Rows rows;
  Matrix fields;    ///< n × references: their smoothed residuals there, 0 columns without any
  Vector log_time;  ///< of each row, up to a level; only power needs it

  Index size() const { return rows.size(); }
};

/// A form as a surface uses it.
struct SurfaceForm {
  std::vector<FormParameter> parameters;
  std::function<FormValue(const SurfaceRows& rows, const Vector& theta)> at;
  /// The value of at() without its Jacobian.
  std::function<Vector(const SurfaceRows& rows, const Vector& theta)> value;
  std::function<Vector(const Matrix& jacobian)> share;  ///< what has extra noise
};

/// Priors beside those of the form.
struct SurfacePriors {
  GpPriors gp;
  double field_weight = 0.7, field_sd = 0.4;  ///< of the fields' summed weight, and its spread
  double slope_sd = 0.6;                      ///< along axes of unknown meaning
};

class Surface {
 public:
  /// `errors`: as the process takes them.
  void fit(const SurfaceForm& form, const SurfaceRows& rows, const Vector& log_values,
           const SurfacePriors& priors, const Matrix& errors = {});
  struct Answer {
    GpPosterior posterior;  ///< of the logarithm
    Matrix jacobian;        ///< by the form's parameters
  };
  Answer at(const SurfaceRows& rows) const;
  /// Joint samples of the logarithm, count × rows.
  Matrix draw(const SurfaceRows& rows, Index count, uint64_t seed) const;
  /// Draws of its parameters; equal for equal seeds.
  FormWorlds worlds(Index count, uint64_t seed) const;
  /// The form, slopes and fields of one of them, the process around them left out.
  Vector form_of(const SurfaceRows& rows, const Vector& beta) const;
  /// How far the process lies from the form at these rows (posterior mean).
  Vector residual(const SurfaceRows& rows) const;

  double level() const { return process_.beta()[0]; }
  /// The parameters of the form.
  Vector theta() const { return process_.beta().tail(parameters_); }
  const FormGp& process() const { return process_; }

 private:
  FormValue mean(const SurfaceRows& rows, const Vector& beta) const;
  /// `form`, and what is linear in β: level, slopes and fields.
  Vector with_line(const SurfaceRows& rows, const Vector& beta, Vector form) const;

  SurfaceForm form_;
  SurfaceRows read_;  ///< the rows fitted on
  FormGp process_;
  Index parameters_ = 0, slopes_ = 0, fields_ = 0;
};

}  // namespace flyball
