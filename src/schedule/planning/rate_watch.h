// Has the arrival rate changed?
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace flyball {

struct RateWatchOptions {
  double least_change = 1.25;  ///< a ratio of rates, up or down, that is to be found
  double threshold = 11;       ///< of the log-likelihood ratio: e¹¹ arrivals between false alarms
  size_t least_rise = 25;      ///< arrivals that tell a higher rate: fewer may be one burst
  size_t settle = 400;         ///< arrivals after a change from which its rate is told again
};

/// Two CUSUM tests (Page 1954) on the times between arrivals, which are exponential at a given
/// rate: against a rate least_change times as high, and one as much lower. An alarm comes with the
/// rate since the likeliest moment of the change (generalised likelihood ratio, Lorden 1971); that
/// rate is told once more, known better, after `settle` arrivals.
class RateWatch {
 public:
  explicit RateWatch(RateWatchOptions options = {}) : options_(options) {}

  /// The rate that is taken to hold now.
  void expect(double rate_hz, int64_t now_ns);
  void arrived(int64_t now_ns);
  /// No arrival, but time goes by: silence is a change, too.
  void look(int64_t now_ns);
  /// The new rate, once; 0 where nothing new is known.
  double take_change();
  double rate_hz() const { return rate_hz_; }

 private:
  double step(double ratio, double gap) const;
  void add(double& sum, double ratio, double gap);
  void alarm(bool rises, int64_t now_ns);

  RateWatchOptions options_;
  double rate_hz_ = 0, change_hz_ = 0;
  double up_ = 0, down_ = 0;     ///< sums of the tests
  std::deque<int64_t> seen_ns_;  ///< the latest arrivals, `settle` at most, or the start
  int64_t last_ns_ = 0;
  int64_t changed_ns_ = 0;
  size_t since_change_ = 0;  ///< arrivals
  bool settling_ = false;
};

}  // namespace flyball
