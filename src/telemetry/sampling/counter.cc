#include "telemetry/sampling/counter.h"

#include <algorithm>

namespace flyball {

bool UnwrappedCounter::plausible(double step, double seconds) const {
  // Sources update in their own rhythm: what is read after 1 ms may belong to 100 ms.
  return max_rate_ <= 0 || step <= max_rate_ * std::max(seconds, 0.1);
}

bool UnwrappedCounter::may_have_gone_round(double seconds) const {
  return wrap_ > 0 && max_rate_ * seconds > wrap_;
}

double UnwrappedCounter::add(int64_t time_ns, double raw) {
  const double seconds = static_cast<double>(time_ns - time_ns_) * 1e-9;
  double step = first_ ? 0 : raw - raw_;
  const bool wrapped = step < 0 && wrap_ > 0 && raw_ <= wrap_;
  if (wrapped) step += wrap_;
  last_step_known_ =
      first_ || (step >= 0 && plausible(step, seconds) && !may_have_gone_round(seconds));
  if (last_step_known_) {
    amount_ += step;
    wraps_ += wrapped ? 1 : 0;
  }
  first_ = false;
  time_ns_ = time_ns;
  raw_ = raw;
  return amount_;
}

}  // namespace flyball
