#include "schedule/planning/rate_watch.h"

#include <algorithm>
#include <cmath>

namespace flyball {

void RateWatch::expect(double rate_hz, int64_t now_ns) {
  rate_hz_ = rate_hz;
  up_ = down_ = {0, now_ns, 0};
  changed_ns_ = last_ns_ = now_ns;
  since_change_ = 0;
  settling_ = false;
  change_hz_ = 0;
}

// log of the density of a gap at ratio·rate over that at rate; the gap in units of 1/rate.
double RateWatch::step(double ratio, double gap) const {
  return std::log(ratio) - (ratio - 1) * gap;
}

void RateWatch::add(Cusum& test, double ratio, double gap, int64_t now_ns) {
  test.sum += step(ratio, gap);
  ++test.arrivals;
  if (test.sum <= 0) test = {0, now_ns, 0};
}

void RateWatch::alarm(const Cusum& test, int64_t now_ns) {
  const double seconds = std::max(1e-9, static_cast<double>(now_ns - test.since_ns) * 1e-9);
  const auto arrivals = static_cast<double>(std::max<size_t>(1, test.arrivals));
  const int64_t since_ns = test.since_ns;
  const size_t count = test.arrivals;
  expect(arrivals / seconds, now_ns);
  change_hz_ = rate_hz_;
  changed_ns_ = since_ns;
  since_change_ = count;
  settling_ = true;
}

void RateWatch::arrived(int64_t now_ns) {
  const double gap = static_cast<double>(now_ns - last_ns_) * 1e-9 * rate_hz_;
  last_ns_ = now_ns;
  if (!(rate_hz_ > 0)) return;
  ++since_change_;
  add(up_, options_.least_change, gap, now_ns);
  add(down_, 1 / options_.least_change, gap, now_ns);
  if (up_.sum > options_.threshold) return alarm(up_, now_ns);
  if (down_.sum > options_.threshold) return alarm(down_, now_ns);
  if (!settling_ || since_change_ < options_.settle) return;
  const double seconds = static_cast<double>(now_ns - changed_ns_) * 1e-9;
  const double rate_hz = static_cast<double>(since_change_) / seconds;
  expect(rate_hz, now_ns);
  change_hz_ = rate_hz;
}

void RateWatch::look(int64_t now_ns) {
  if (!(rate_hz_ > 0)) return;
  const double gap = static_cast<double>(now_ns - last_ns_) * 1e-9 * rate_hz_;
  const double ratio = 1 / options_.least_change;
  if (down_.sum + (1 - ratio) * gap > options_.threshold) alarm(down_, now_ns);
}

double RateWatch::take_change() {
  const double rate_hz = change_hz_;
  change_hz_ = 0;
  return rate_hz;
}

}  // namespace flyball
