// How long a minibatch will take at most, learned while it is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace flyball {

struct DurationOptions {
  double quantile = 0.99;   ///< of minibatches that are to end within upper_ns()
  size_t window = 256;      ///< minibatches that count
  double miss_step = 0.05;  ///< by how much the margin grows where a minibatch took longer
};

/// Durations of one job as a curve over batch sizes times a ratio that they share: observed ÷
/// curve.
///
/// The upper bound is the conformal quantile of the last `window` ratios, order statistic
/// ⌈(n + 1)·quantile⌉ (Vovk et al. 2005), times 1 + margin. The margin is that of adaptive
/// conformal inference (Gibbs, Candès 2021): it grows by miss_step·quantile with each minibatch
/// that took longer and shrinks by miss_step·(1 − quantile) otherwise, never below 0, so that in
/// the long run a share of 1 − quantile is missed whatever the drift. Ten ratios in a row beyond
/// the tenth or ninetieth percentile are a change (throttling, another program): older ones are
/// forgotten.
class DurationModel {
 public:
  explicit DurationModel(DurationOptions options = {}) : options_(options) {}

  /// A point of the curve: what was measured before. Between points it is linear, above the last
  /// proportional to the batch, below the first constant.
  void expect(int64_t batch, double ns);
  /// A minibatch has ended. Without a curve it gives the first point.
  void observe(int64_t batch, double ns);

  /// So many minibatches could have run and did not, since the upper bound left no room for them:
  /// the margin shrinks as if they had kept it, then one ratio in 1/(1 − quantile) of them, the
  /// largest, is forgotten, and of the last one what it took longer than expected. What never runs
  /// would else never be believed again.
  void spare(double minibatches);

  /// What was observed counts no more: the curve stands as it was expected.
  void forget();

  bool known() const { return !curve_.empty(); }
  /// Infinite while nothing is known.
  double upper_ns(int64_t batch) const { return base_ns(batch) * upper_ratio_; }
  /// By the median of what minibatches took against what was expected of them.
  double typical_ns(int64_t batch) const { return base_ns(batch) * typical_ratio_; }
  size_t changes() const { return changes_; }

 private:
  double base_ns(int64_t batch) const;
  double computed_ns(int64_t batch) const;
  void remember(double ratio);
  void forget_largest();
  void forget_all_but(size_t last);
  void follow_change(double ratio);
  void refresh();
  double order_statistic(double quantile) const;

  DurationOptions options_;
  std::map<int64_t, double> curve_;
  std::vector<double> table_;   ///< of the curve, by batch size
  std::vector<double> recent_;  ///< ratios, oldest first from next_ on
  std::vector<double> sorted_;
  size_t next_ = 0, above_ = 0, below_ = 0, changes_ = 0;
  double spared_ = 0;          ///< minibatches since a ratio was forgotten for them
  double low_ = 0, high_ = 0;  ///< beyond them a run of change goes on
  double margin_ = 0, upper_ratio_ = 1, typical_ratio_ = 1;
};

}  // namespace flyball
