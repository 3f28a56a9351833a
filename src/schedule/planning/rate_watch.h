// Has the arrival rate changed?
#pragma once

#include <cstddef>
#include <cstdint>

namespace flyball {

struct RateWatchOptions {
  double least_change = 1.25;  ///< a ratio of rates, up or down, that is to be found
  double threshold = 11;       ///< of the log-likelihood ratio: e¹¹ arrivals between false alarms
  size_t settle = 400;         ///< arrivals after a change from which its rate is told again
};

/// Two CUSUM tests (Page 1954) on the times between arrivals, which are exponential at a given
/// rate: against a rate least_change times as high, and one as much lower. An alarm comes with the
/// rate since the moment at which its sum was last 0, the likeliest time of the change; that rate
/// is told once more, known better, after `settle` arrivals.
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
  struct Cusum {
    double sum = 0;
    int64_t since_ns = 0;
    size_t arrivals = 0;
  };
  double step(double ratio, double gap) const;
  void add(Cusum& test, double ratio, double gap, int64_t now_ns);
  void alarm(const Cusum& test, int64_t now_ns);

  RateWatchOptions options_;
  double rate_hz_ = 0, change_hz_ = 0;
  Cusum up_, down_;
  int64_t last_ns_ = 0;
  int64_t changed_ns_ = 0;
  size_t since_change_ = 0;  ///< arrivals
  bool settling_ = false;
};

}  // namespace flyball
