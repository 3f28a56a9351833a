// Time of a minibatch over the clocks, up to a factor:
//
//   t ∝ 1 + ‖ main, loader ‖_p
//   main   = ‖ gpu, launch ‖_p + H b/f_cpu        the batch is handed over before the GPU has work
//   gpu    = ‖ G/f_gpu, M/f_mem ‖_q + S/f_gpu     kernels bound by arithmetic or by memory
//   launch = C/f_cpu + D/f_mem                    what one CPU thread does (launches, optimiser)
//   loader = K/(m f_cpu) + L/(m f_mem)            what the cores do together (decode, transform)
//
// p between 1 (stages one after the other) and ∞ (stages overlap, the slowest counts). Launches are
// as many for any batch, handing it over grows with it (H is there only where the batch size b
// varies); both are on one core, so that they add up. f_cpu is counted from an offset: the system
// takes as many cycles a second in every mode, and n cores share them. m = n − busy, since the
// training process itself occupies some cores. Where the batch size varies, work per sample grows
// with it and work per minibatch does not. Each axis of unknown meaning may be the clock of one
// more stage.
#pragma once

#include "predict/gp/form.h"

namespace flyball {

class TimeForm {
 public:
  TimeForm() = default;
  explicit TimeForm(const Coordinates& coordinates);

  const std::vector<FormParameter>& parameters() const { return parameters_; }
  FormValue at(const Rows& rows, const Vector& theta) const;
  /// The same without the Jacobian.
  Vector value(const Rows& rows, const Vector& theta) const;
  /// Share of the CPU in the time of each row: the CPU's part is the noisier one.
  Vector cpu_share(const Matrix& jacobian) const;

 private:
  /// What CPU and cores do for a form: logarithms of the clock that is left and of the cores, and
  /// how they move with the parameters of the two offsets.
  struct CpuClock {
    form::Column clock, clock_slope, cores, cores_slope;
  };
  CpuClock cpu_clock(const form::Column& clock, const form::Column& cores,
                     const Vector& theta) const;
  /// The whole form over some of the rows.
  form::Tape::Term total_of(form::Tape& tape, const Rows& rows, Index first, Index size,
                            const Vector& theta) const;

  std::vector<FormParameter> parameters_;
  bool batch_ = false;
  int first_other_ = 0, others_ = 0;  ///< parameters of the axes of unknown meaning
  double core_limit_ = 0;    ///< most cores that the training process may occupy, relative to all
  double offset_limit_ = 0;  ///< highest offset of the CPU clock, relative to the highest clock
  double fewest_cores_ = 1;  ///< each of them loses the offset; relative to all
};

}  // namespace flyball
