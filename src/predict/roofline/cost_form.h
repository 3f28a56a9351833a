// What a board takes for a network that it never ran, from tables of others that it did: time and
// power as non-negative sums over clocks, work (space/cost.h) and batch size.
//
//   t = F·a/f_gpu + D·b/f_gpu + Q·(c/f_mem + d/f_gpu) + K·(e/f_cpu + f + g/f_gpu)
//     + in training n·(h/(f_cpu·min(cores, max(1, workers))) + i/f_cpu + k/f_cpu without workers) +
//     j
//
// with F, D the FLOP of dense and of depthwise layers, Q the bytes, K the kernels and n the
// samples of a minibatch. Power: what the clocks draw, and the rates of F, Q and n at that time,
// each alone and with the clock that they are worked off at (P = C·V²·f with V rising with f).
#pragma once

#include <span>
#include <vector>

#include "predict/predictor.h"

namespace flyball {

/// Means over a space.
struct CostAnswer {
  std::vector<double> time_ms;
  std::vector<double> power_w;  ///< empty where no table has power
};

/// Are both of one network in one phase? Then one of them predicts the other, and says nothing of
/// how well it stands for a third.
bool of_same_work(const WorkloadTable& a, const WorkloadTable& b);

class CostForm {
 public:
  /// Of the tables of `board` that say what their network costs, by kind; power of those with this
  /// total. Each work counts the same, however many tables there are of it (`of_same_work`). Those
  /// not used are told in `notes`. Error: none is left.
  static Result<CostForm> fit(std::span<const WorkloadTable> tables, const std::string& board,
                              const std::string& power_total);

  /// What it says of `asked` (which has a cost) over few values of each axis that both know;
  /// workers of which `asked` has one number have that.
  WorkloadTable table_of(const WorkloadTable& asked) const;
  /// How far it may lie off, as standard deviations of logarithms: in level, and around it.
  double time_level_sd() const { return time_spread_.sd(time_spread_.level_square); }
  double time_rest_sd() const { return time_spread_.sd(time_spread_.rest_square); }
  double power_level_sd() const { return power_spread_.sd(power_spread_.level_square); }
  double power_rest_sd() const { return power_spread_.sd(power_spread_.rest_square); }

  /// Sets how far the target keeps from the form, by the median of its rows; few
  /// rows count as far as the works left out differ more in level than around it.
  void settle(const WorkloadTable& measured, const Cost& work);

  /// `batch_size`: of the minibatches, where no axis of the space says it.
  CostAnswer at(const Space& space, Phase phase, const Cost& work, double batch_size = 0) const;
  /// The same with 90 % intervals: Student's t with as many degrees of freedom as works were left
  /// out of the fit, times how far these lay off in level (less once settled) and around it.
  Prediction predict(const Space& space, Phase phase, const Cost& work,
                     double batch_size = 0) const;
  /// Mean absolute error of the works left out, in logarithms; infinite for a single network.
  double time_error() const { return time_error_; }
  /// Does it rest on several networks that tell of time? One's own levels, in either phase, are in
  /// it as if they were the board's: it says nothing that readings of the network do not say
  /// better.
  bool of_several() const { return time_spread_.works > 0; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Known {
    const WorkloadTable* table;
    bool power;
  };
  /// Of one figure; half-widths in logarithms.
  struct Spread {
    double level = 0;         // logarithm of what the target takes of what the form says
    double level_square = 0;  // mean squares of the works left out: of their levels,
    double rest_square = 0;   // and of what is left around them
    size_t works = 0;         // left out
    size_t readings = 0;      // of the target
    void add(const std::vector<double>& ratios);
    void settle(const std::vector<double>& ratios);
    double half() const;             // of the 90 % intervals
    double sd(double square) const;  // wider, the fewer works that comes of
  };
  void fit_terms(std::span<const Known> known);
  void leave_out(std::span<const Known> known);

  std::vector<double> time_, power_;  // coefficients
  std::vector<Axis> axes_;            // those it knows, with the values of its tables
  Spread time_spread_, power_spread_;
  double time_error_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace flyball
