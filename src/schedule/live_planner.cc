#include "schedule/live_planner.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/clock.h"
#include "base/units.h"

namespace flyball {

LivePlanner::LivePlanner(Problem problem, Readings readings, std::vector<size_t> choice,
                         double rate_hz, LivePlanned planned, LivePlannerOptions options)
    : problem_(std::move(problem)),
      readings_(std::move(readings)),
      planned_(std::move(planned)),
      options_(options),
      replanner_(live(), options_.replan),
      choice_(std::move(choice)),
      rate_hz_(rate_hz) {
  const int64_t now_ns = monotonic_ns();
  if (rate_hz_ > 0) replanner_.begin(rate_hz_, choice_, now_ns);
  next_drift_ns_ = now_ns + static_cast<int64_t>(options_.drift_s * 1e9);
}

LivePlanner::~LivePlanner() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LivePlanner::start() {
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

void LivePlanner::arrived(int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  arrivals_.push_back(now_ns);
}

void LivePlanner::look(int64_t now_ns) {
  watch_arrivals(now_ns);
  if (!(rate_hz_ > 0) || now_ns < next_drift_ns_) return;
  next_drift_ns_ = now_ns + static_cast<int64_t>(options_.drift_s * 1e9);
  std::string why;
  if (!drifted(why) && !beyond_budget(why)) return;
  replanner_ = Replanner(live(), options_.replan);
  replanner_.begin(rate_hz_, choice_, now_ns);
  plan_again(rate_hz_, why);
}

void LivePlanner::watch_arrivals(int64_t now_ns) {
  std::vector<int64_t> arrivals;
  {
    const std::lock_guard lock(mutex_);
    arrivals.swap(arrivals_);
  }
  if (!(rate_hz_ > 0)) {
    first_.insert(first_.end(), arrivals.begin(), arrivals.end());
    return learn_rate(now_ns);
  }
  for (const int64_t at_ns : arrivals) replanner_.arrived(at_ns);
  auto change = replanner_.look(now_ns);
  rate_hz_ = replanner_.rate_hz();
  if (change) hand_over(*std::move(change));
}

// The first plan of a service whose rate nobody told.
void LivePlanner::learn_rate(int64_t now_ns) {
  if (first_.size() < options_.first_arrivals) return;
  const double seconds = static_cast<double>(first_.back() - first_.front()) * 1e-9;
  if (!(seconds > 0)) return;
  rate_hz_ = static_cast<double>(first_.size() - 1) / seconds;
  first_.clear();
  replanner_.begin(rate_hz_, choice_, now_ns);
  const std::string why = fmt::format("{:.3g} requests/s arrive", rate_hz_);
  const auto best = replanner_.plan_for(rate_hz_);
  if (best && best->choice == choice_)
    return hand_over(
        {live().plan(choice_),
         {.why = why, .rate_hz = rate_hz_, .batch = live().plan(choice_).largest_batch.front()}});
  plan_again(rate_hz_, why);
}

// What is observed of a job holds for its whole table: a program beside it, heat, another library
// slow all modes down alike, as far as one knows.
bool LivePlanner::drifted(std::string& why) {
  const LiveDurations now = planned_.durations();
  const LivePlan plan = live().plan(choice_);
  size_t service = 0, training = 0;
  bool found = false;
  for (size_t role = 0; role < problem_.roles.size(); ++role) {
    const bool serves = problem_.roles[role].serves();
    const double observed = serves ? now.services[service] : now.trainings[training];
    const double expected =
        serves ? plan.services[service].minibatch.typical_ns(plan.largest_batch[service])
               : plan.trainings[training].minibatch.typical_ns(1);
    ++(serves ? service : training);
    const double ratio = observed / expected;
    if (!std::isfinite(ratio) || (ratio < options_.drift && ratio > 1 / options_.drift)) continue;
    for (Reading& reading : readings_[role]) reading.minibatch_ms *= ratio;
    why += fmt::format("{}minibatches of {} take {:.2g} times as long as planned",
                       found ? ", " : "", problem_.roles[role].workload, ratio);
    found = true;
  }
  return found;
}

bool LivePlanner::beyond_budget(std::string& why) {
  const double drawn_w = planned_.power_w ? planned_.power_w() : not_measured;
  const double budget_w = problem_.budgets.power_w, planned_w = power_of(readings_, choice_);
  if (budget_w == unlimited || !(drawn_w > budget_w * options_.power_slack)) return false;
  for (auto& role : readings_)
    for (Reading& reading : role) reading.power_w *= drawn_w / planned_w;
  why = fmt::format("{:.3g} W are drawn where {:.3g} W were planned, of a budget of {:g} W",
                    drawn_w, planned_w, budget_w);
  return std::isfinite(planned_w);
}

void LivePlanner::plan_again(double rate_hz, std::string why) {
  if (auto change = replanner_.change_to(rate_hz, why)) return hand_over(*std::move(change));
  if (replanner_.plan_for(rate_hz)) return;  // the present one is the best there is
  LiveChange told;
  told.why = {.why = why + ", and nothing that was profiled keeps the limits: it stays as it is",
              .rate_hz = rate_hz};
  const LivePlan present = live().plan(choice_);
  told.largest_batch = present.largest_batch;
  told.why.batch = present.largest_batch.front();
  told.trainings_per_s = present.trainings_per_s;
  planned_.change(std::move(told));
}

void LivePlanner::hand_over(PlanChange made) {
  const Candidates& all = *problem_.candidates;
  const size_t mode = all.mode_of(0, replanner_.choice().front());
  const bool switches = !options_.mode_is_set || mode != all.mode_of(0, choice_.front());
  choice_ = replanner_.choice();
  LiveChange change;
  change.why = std::move(made.why);
  change.why.mode = describe(all.modes().settings(mode));
  change.largest_batch = made.plan.largest_batch;
  change.trainings_per_s = made.plan.trainings_per_s;
  if (switches && planned_.set_mode) {
    options_.mode_is_set = true;
    change.set_mode = [this, mode] { return planned_.set_mode(mode); };
    change.switch_s = problem_.switch_ms * 1e-3;
    for (JobCourse& job : made.plan.services) change.services.push_back(std::move(job.minibatch));
    for (JobCourse& job : made.plan.trainings) change.trainings.push_back(std::move(job.minibatch));
  }
  planned_.change(std::move(change));
}

}  // namespace flyball
