#include "schedule/planning/rate_watch.h"

#include <algorithm>
#include <cmath>

namespace flyball {

void RateWatch::expect(double rate_hz, int64_t now_ns) {
  rate_hz_ = rate_hz;
  up_ = down_ = 0;
  seen_ns_.assign(1, now_ns);
  changed_ns_ = last_ns_ = now_ns;
  since_change_ = 0;
  settling_ = false;
  change_hz_ = 0;
}

// log of the density of a gap at ratio·rate over that at rate; the gap in units of 1/rate.
double RateWatch::step(double ratio, double gap) const {
  return std::log(ratio) - (ratio - 1) * gap;
}

void RateWatch::add(double& sum, double ratio, double gap) {
  sum = std::max(0.0, sum + step(ratio, gap));
}

// n arrivals in t at their own rate n/t are exp(n·(log(q) − 1 + 1/q)) times as likely as at the old
// rate, with q that of the two rates: the change was where this is most.
void RateWatch::alarm(bool rises, int64_t now_ns) {
  double best = -1, best_hz = rate_hz_;
  size_t best_count = 0;
  int64_t best_since = now_ns;
  const size_t all = seen_ns_.size() - 1;  // behind the first; silence may come before any
  const size_t most = std::max<size_t>(1, all);
  for (size_t count = rises ? std::clamp<size_t>(options_.least_rise, 1, most) : 1; count <= most;
       ++count) {
    const int64_t since_ns = seen_ns_[all - std::min(count, all)];
    const double seconds = std::max(1e-9, static_cast<double>(now_ns - since_ns) * 1e-9);
    const auto arrivals = static_cast<double>(count);
    const double hz = arrivals / seconds, quotient = hz / rate_hz_;
    const double likelihood = arrivals * (std::log(quotient) - 1 + 1 / quotient);
    if (likelihood <= best || (hz > rate_hz_) != rises) continue;
    best = likelihood;
    best_hz = hz;
    best_count = count;
    best_since = since_ns;
  }
  expect(best_hz, now_ns);
  change_hz_ = rate_hz_;
  changed_ns_ = best_since;
  since_change_ = best_count;
  settling_ = true;
}

void RateWatch::arrived(int64_t now_ns) {
  const double gap = static_cast<double>(now_ns - last_ns_) * 1e-9 * rate_hz_;
  last_ns_ = now_ns;
  if (!(rate_hz_ > 0)) return;
  ++since_change_;
  seen_ns_.push_back(now_ns);
  if (seen_ns_.size() > options_.settle) seen_ns_.pop_front();
  add(up_, options_.least_change, gap);
  add(down_, 1 / options_.least_change, gap);
  if (up_ > options_.threshold) return alarm(true, now_ns);
  if (down_ > options_.threshold) return alarm(false, now_ns);
  if (!settling_ || since_change_ < options_.settle) return;
  const double seconds = static_cast<double>(now_ns - changed_ns_) * 1e-9;
  const double rate_hz = static_cast<double>(since_change_) / seconds;
  expect(rate_hz, now_ns);
  change_hz_ = rate_hz;
}

void RateWatch::look(int64_t now_ns) {
  if (!(rate_hz_ > 0)) return;
  const double gap = static_cast<double>(now_ns - last_ns_) * 1e-9 * rate_hz_;
  if (down_ + step(1 / options_.least_change, gap) > options_.threshold) alarm(false, now_ns);
}

double RateWatch::take_change() {
  const double rate_hz = change_hz_;
  change_hz_ = 0;
  return rate_hz;
}

}  // namespace flyball
