// When a live trial has seen enough. A rule is a named object; its name stands in the result.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace flyball {

/// Central value of the minibatch times with its noise.
struct TimeSummary {
  double value_ms = 0;  ///< median over blocks of the mean minibatch time of a block
  double noise = 0;  ///< relative standard error of that median, a fraction; infinite when unknown
  size_t blocks = 0;
};

/// Cuts consecutive minibatches into blocks of at least `block_ms` and takes the median of the
/// blocks' means: means within a block, since workers deliver minibatches in bursts; a median over
/// blocks, since a machine that does something else for a moment shall not count. A minibatch
/// longer than `block_ms` is a block of its own, unless times are uneven: where the mean of the
/// blocks, without the outermost, is not their median, the long ones recur and are part of what a
/// minibatch takes. Blocks then hold whole rounds of `round` minibatches (the loader's workers);
/// where nobody knows that (0, 1), of as many up to 16 as leave the least noise. What still differs
/// is noise. Standard error of a median of n normal values: 1.2533 σ / √n, with σ from the median
/// absolute deviation.
TimeSummary summarise_times(std::span<const double> minibatch_ms, size_t round = 0,
                            double block_ms = 25);

/// What a trial may cost.
struct StoppingOptions {
  double relative_noise = 0.02;  ///< stop when the noise is at most this
  size_t min_minibatches = 10;
  size_t min_blocks = 8;
  double min_seconds = 1.0;    ///< of counted minibatches
  double max_seconds = 10.0;   ///< time cap
  size_t max_minibatches = 0;  ///< 0: no cap
  /// After so many minibatches their times may repeat: the loader's workers. 0: not known.
  size_t round = 0;
};

/// Collects minibatch times and says when, and why, to stop.
class StoppingRule {
 public:
  explicit StoppingRule(const StoppingOptions& options) : options_(options) {}

  void add(double minibatch_ms);
  /// True once a rule is met; costs O(n) only about every 5 % more minibatches.
  bool done();
  /// "relative noise 1.4 % <= 2 %", "time cap 10 s", …; "" before done().
  const std::string& reason() const { return reason_; }
  TimeSummary summary() const { return summarise_times(times_, options_.round); }
  std::span<const double> times() const { return times_; }

 private:
  size_t least_minibatches() const;

  StoppingOptions options_;
  std::vector<double> times_;
  double total_s_ = 0;
  size_t next_check_ = 0;
  std::string reason_;
};

}  // namespace flyball
