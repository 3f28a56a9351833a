// What a broker does of plans that others make: another mode, less of the time for trainings.
#include <algorithm>
#include <chrono>
#include <future>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "broker/broker.h"

namespace flyball {
namespace {

constexpr int64_t set_look_ns = 1'000'000;  // how often it looks whether a mode is set
}  // namespace

void Broker::change(PlanChange change) {
  const std::lock_guard lock(mutex_);
  change.plan.largest_batch.clear();  // a turn is one request
  change.why.training = training_part_;
  execution_.change(std::move(change), monotonic_ns());
}

JobDurations Broker::durations() const {
  const std::lock_guard lock(mutex_);
  return execution_.durations();
}

int64_t Broker::began_ns() const {
  const std::lock_guard lock(mutex_);
  return execution_.began_ns();
}

size_t Broker::comings() const {
  const std::lock_guard lock(mutex_);
  return comings_;
}

bool Broker::switches(const PlanChange& change) const {
  return change.set_mode && !(change.mode_is_set && change.mode_is_set());
}

// Nobody has a turn meanwhile; who asks is heard, since a request's time begins then.
Status Broker::set_mode(const PlanChange& change) {
  const WholeWork whole;  // nobody looks at the stop meanwhile
  auto set = std::async(std::launch::async, change.set_mode);
  while (set.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    free_ns_ = pump(monotonic_ns() + set_look_ns);
  return set.get();
}

void Broker::limit_training(double part, const std::string& why) {
  const std::lock_guard lock(mutex_);
  training_part_ = std::clamp(part, 0.001, 1.0);
  execution_.result().planned_anew(
      {.at_s = static_cast<double>(monotonic_ns() - execution_.began_ns()) * 1e-9,
       .why = why,
       .mode = execution_.plan().mode_text,
       .training = training_part_});
}

// After a turn that took so long, until trainings have had their part of the time and no more.
void Broker::pause_trainings(int64_t turn_ns) {
  if (!(training_part_ < 1)) return;
  const double pause_ns = static_cast<double>(turn_ns) * (1 / training_part_ - 1);
  paused_until_ns_ = monotonic_ns() + static_cast<int64_t>(pause_ns);
  for (size_t t = 0; t < execution_.scheduler().trainings(); ++t)
    execution_.scheduler().set_wants(t, false);
}

void Broker::end_pause() {
  if (paused_until_ns_ == 0 || monotonic_ns() < paused_until_ns_) return;
  paused_until_ns_ = 0;
  for (size_t j = 0; j < jobs_.size(); ++j)
    if (!result_.clients[j].role.service && !jobs_[j].waiting.empty())
      execution_.scheduler().set_wants(result_.clients[j].index, true);
}

void Broker::tell_replans() {
  const ServingResult& result = execution_.result();
  while (told_replans_ < result.replan_count) {
    const size_t left = result.replan_count - told_replans_++;
    if (options_.tell && left <= result.replans.size())
      options_.tell(replan_text(result.replans[result.replans.size() - left]));
  }
}

}  // namespace flyball
