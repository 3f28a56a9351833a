#include "schedule/live/live_power.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/units.h"

namespace flyball {
namespace {

// What each has drawn in a lap. Who has taken another's place has drawn all since it came there,
// and what the other one drew is added to `left_j`.
template <class Jobs>
void add_lap(const Jobs& now, Jobs& before, double mean_w, std::vector<double>& drawn_j,
             double& left_j) {
  before.resize(now.size());  // what has come since has used nothing before
  drawn_j.resize(now.size());
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].came != before[i].came) {
      left_j += std::exchange(drawn_j[i], 0.0);
      before[i].busy_s = 0;
    }
    drawn_j[i] += mean_w * (now[i].busy_s - before[i].busy_s);
  }
}

}  // namespace

LivePower::LivePower(std::unique_ptr<PowerMeter> meter, std::function<ServingResult()> snapshot,
                     std::function<void(int64_t, int64_t, double)> told, double lap_s)
    : meter_(std::move(meter)),
      snapshot_(std::move(snapshot)),
      told_(std::move(told)),
      lap_s_(lap_s) {
  gap_ = meter_->gap();
  if (!gap_.empty()) return;
  const Status begun = meter_->begin();
  if (!begun.ok()) gap_ = begun.error().message;
}

void LivePower::start() {
  if (!gap_.empty()) return;
  before_ = snapshot_();
  services_j_.resize(before_.services.size());
  trainings_j_.resize(before_.trainings.size());
  meter_->count();
  lap_ns_ = monotonic_ns();
  thread_ = std::thread([this] { laps(); });
}

LivePower::~LivePower() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

double LivePower::now_w() const {
  const std::lock_guard lock(mutex_);
  return now_w_;
}

void LivePower::laps() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::duration<double>(lap_s_), [this] { return end_; })) {
    lock.unlock();
    take_lap();
    lock.lock();
  }
}

void LivePower::take_lap() {
  const ServingResult now = snapshot_();
  const auto reading = meter_->lap();
  const int64_t end_ns = monotonic_ns();
  const double watts = reading.ok() ? reading->mean_w : std::numeric_limits<double>::quiet_NaN();
  if (told_) told_(lap_ns_, end_ns, watts);
  const double lap_s = static_cast<double>(end_ns - lap_ns_) * 1e-9;
  lap_ns_ = end_ns;
  const std::lock_guard lock(mutex_);
  now_w_ = watts;
  if (!reading.ok()) {
    unknown_s_ += lap_s;
    if (lap_gap_.empty()) lap_gap_ = reading.error().message;
  }
  if (reading.ok() && reading->window_s > 0) {
    energy_j_ += reading->mean_w * reading->window_s;
    known_s_ += reading->window_s;
    add_lap(now.services, before_.services, reading->mean_w, services_j_, left_j_);
    add_lap(now.trainings, before_.trainings, reading->mean_w, trainings_j_, left_j_);
  }
  before_ = now;
}

void LivePower::tell(ServingResult& result) const {
  const std::lock_guard lock(mutex_);
  for (size_t s = 0; s < services_j_.size(); ++s)
    result.services[s].energy_j =
        services_j_[s] + now_w_ * (result.services[s].busy_s - before_.services[s].busy_s);
  for (size_t t = 0; t < trainings_j_.size(); ++t)
    result.trainings[t].energy_j =
        trainings_j_[t] + now_w_ * (result.trainings[t].busy_s - before_.trainings[t].busy_s);
}

void LivePower::stop() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
    take_lap();
  }
}

std::string LivePower::end(ServingResult& result, std::vector<std::string>& notes) {
  stop();
  if (!gap_.empty()) return gap_;
  const double all_s = known_s_ + unknown_s_;
  if (unknown_s_ > 0 && !(known_s_ >= known_power_share * all_s)) return lap_gap_;
  if (!(known_s_ > 0)) return "nothing was served";
  if (unknown_s_ > 0)
    notes.push_back(fmt::format(
        "power was not known for {} of {}, for which its mean over the rest is taken: {}",
        format_seconds({unknown_s_}), format_seconds({all_s}), lap_gap_));
  const double scale = result.seconds / known_s_;
  result.energy_j = energy_j_ * scale;
  result.left_energy_j = left_j_ * scale;
  for (size_t s = 0; s < services_j_.size(); ++s)
    result.services[s].energy_j = services_j_[s] * scale;
  for (size_t t = 0; t < trainings_j_.size(); ++t)
    result.trainings[t].energy_j = trainings_j_[t] * scale;
  return "";
}

}  // namespace flyball
