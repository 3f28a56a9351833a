#include "broker/broker_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/clock.h"
#include "problem/problem.h"

namespace flyball {
namespace {

size_t turns_of(const ServingResult& result) {
  size_t turns = 0;
  for (const ServiceResult& service : result.services) turns += service.answered;
  for (const TrainingResult& training : result.trainings) turns += training.minibatches;
  return turns;
}

double trained_s(const ServingResult& result) {
  double busy_s = 0;
  for (const TrainingResult& training : result.trainings) busy_s += training.busy_s;
  return busy_s;
}

}  // namespace

BrokerWatch::BrokerWatch(Broker& broker, HeldMode* held, ModeLadder ladder,
                         TurnWatchOptions options)
    : broker_(broker),
      held_(held),
      ladder_(std::move(ladder)),
      options_(options),
      keeper_({.budget_w = options.budget_w,
               .modes = ladder_.modes.size(),
               .mode = ladder_.present,
               .patience = options.patience}),
      set_(ladder_.present) {}

BrokerWatch::~BrokerWatch() {
  stop();
}

void BrokerWatch::start() {
  begin_window(monotonic_ns());
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::duration<double>(options_.look_s),
                            [this] { return end_; })) {
      lock.unlock();
      look(monotonic_ns());
      lock.lock();
    }
  });
}

void BrokerWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BrokerWatch::told_power(int64_t begin_ns, int64_t end_ns, double watts) {
  const std::lock_guard lock(mutex_);
  if (begin_ns < window_ns_ || !std::isfinite(watts)) return;
  const double seconds = static_cast<double>(end_ns - begin_ns) * 1e-9;
  energy_j_ += watts * seconds;
  energy_s_ += seconds;
}

void BrokerWatch::begin_window(int64_t now_ns) {
  before_ = broker_.serving();
  const std::lock_guard lock(mutex_);
  window_ns_ = now_ns;
  energy_j_ = energy_s_ = 0;
}

KeeperWindow BrokerWatch::seen(int64_t now_ns) const {
  const ServingResult now = broker_.serving();
  KeeperWindow seen{.seconds = static_cast<double>(now_ns - window_ns_) * 1e-9};
  seen.training_s = trained_s(now) - trained_s(before_);
  seen.turns = turns_of(now) - turns_of(before_);
  double worst = -1;
  for (size_t s = 0; s < now.services.size(); ++s) {
    const ServiceResult& service = now.services[s];
    const bool there = s < before_.services.size() && before_.services[s].came == service.came;
    const size_t served = service.answered - (there ? before_.services[s].answered : 0);
    const size_t late = service.late - (there ? before_.services[s].late : 0);
    const double share =
        static_cast<double>(late) / static_cast<double>(std::max<size_t>(1, served));
    if (share <= worst) continue;
    worst = share;
    seen.served = served;
    seen.late = late;
    seen.service = service.name;
  }
  return seen;
}

void BrokerWatch::look(int64_t now_ns) {
  if (switching_ || now_ns < settled_ns_) return begin_window(now_ns);
  if (refused_.exchange(false)) {
    keeper_.could_not_set();
    return begin_window(now_ns);
  }
  if (const size_t comings = broker_.comings(); comings != comings_) {
    comings_ = comings;
    keeper_.clients_changed();
    return begin_window(now_ns);
  }
  KeeperWindow window = seen(now_ns);
  {
    const std::lock_guard lock(mutex_);
    if (energy_s_ > 0) window.power_w = energy_j_ / energy_s_;
  }
  const bool beyond = keeper_.is_beyond(window.power_w) && window.seconds >= options_.beyond_s;
  if (window.seconds < options_.window_s && !beyond) return;
  if (beyond && window.seconds < options_.window_s) window.served = window.late = 0;
  begin_window(now_ns);
  const auto step = keeper_.look(window);
  if (!step) return;
  follow(*step);
  settled_ns_ = now_ns + nanoseconds(options_.settle_s);
}

void BrokerWatch::follow(const KeeperStep& step) {
  if (step.mode) return set_mode(*step.mode, step.why);
  broker_.limit_training(step.training.value_or(keeper_.training()), step.why);
}

void BrokerWatch::set_mode(size_t mode, const std::string& why) {
  PlanChange change;
  change.plan.mode = mode;
  change.plan.mode_text = change.why.mode = describe(ladder_.modes[mode].values);
  change.why.why = why;
  change.switch_s = longest_switch_s_;
  change.set_mode = [this, mode] { return apply(mode); };
  change.followed = [this] { switching_ = false; };
  switching_ = true;
  broker_.change(std::move(change));
}

// In the thread that grants turns, or one that it waits for. Where a mode cannot be set the one
// before is set again.
Status BrokerWatch::apply(size_t mode) {
  const Stopwatch watch;
  const Status set = held_->set(ladder_.modes[mode]);
  longest_switch_s_ = std::max(longest_switch_s_, watch.seconds());
  if (set.ok()) {
    set_ = mode;
    return set;
  }
  refused_ = true;
  const Status back = held_->set(ladder_.modes[set_]);
  if (back.ok()) return set;
  Error error = set.error();
  error.message += "; nor can the mode before be set again: " + back.error().message;
  return error;
}

}  // namespace flyball
