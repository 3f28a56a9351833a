// What has ended, and who wants the accelerator at all.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "schedule/scheduler.h"

namespace flyball {
namespace {

constexpr double most_credit_ns = 1e9;  // of its own time, of a training that wants again

}  // namespace

void Scheduler::ended(int64_t now_ns, Ending ending) {
  if (!busy_) throw std::logic_error("nothing was running");
  busy_ = false;
  const auto took_ns = static_cast<double>(std::max<int64_t>(1, now_ns - began_ns_));
  const bool learns = ending == Ending::whole;
  if (running_.act == Act::infer) {
    if (!learns) return;
    Service& service = services_[running_.who];
    if (std::exchange(service.tried, false)) service.duration.forget();
    return service.duration.observe(running_.samples, took_ns);
  }
  Training& training = trainings_[running_.who];
  if (learns) training.duration.observe(1, took_ns);
  training.used_ns += took_ns / training.rules.share;
}

// Between two turns nobody wants, nor with a limit on trainings: who comes back is held against the
// time of all of them, as in start-time fair queueing (Goyal, Vin, Cheng 1997).
void Scheduler::set_wants(size_t index, bool wants) {
  Training& training = trainings_[index];
  if (wants && !training.wants)
    training.used_ns =
        std::max(training.used_ns, virtual_ns_ - most_credit_ns / training.rules.share);
  training.wants = wants;
}

bool Scheduler::behind(size_t training) const {
  bool others = false;
  for (size_t t = 0; t < trainings_.size(); ++t) {
    if (t == training || !trainings_[t].wants) continue;
    if (!(trainings_[training].used_ns < trainings_[t].used_ns)) return false;
    others = true;
  }
  return others;
}

}  // namespace flyball
