#include "schedule/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/figure.h"

namespace flyball {

Execution::Execution(Executor& executor, ExecutionOptions options)
    : executor_(executor),
      options_(options),
      scheduler_({}, {}, options.durations, options.preference) {}

void Execution::add(ServiceRules rules) {
  result_.services.push_back(
      {.name = rules.name, .budget_ms = static_cast<double>(rules.latency_ns) * 1e-6});
  scheduler_.add(std::move(rules));
}

void Execution::add(TrainingRules rules) {
  result_.trainings.push_back({.name = rules.name});
  scheduler_.add(std::move(rules));
}

void Execution::replace(size_t s, ServiceRules rules) {
  ServiceResult& place = result_.services[s];
  result_.left_busy_s += place.busy_s;
  place = {.name = rules.name,
           .budget_ms = static_cast<double>(rules.latency_ns) * 1e-6,
           .came = place.came + 1};
  scheduler_.replace(s, std::move(rules));
}

void Execution::replace(size_t t, TrainingRules rules) {
  TrainingResult& place = result_.trainings[t];
  result_.left_busy_s += place.busy_s;
  place = {.name = rules.name, .came = place.came + 1};
  scheduler_.replace(t, std::move(rules));
}

void Execution::begin(RunningPlan plan, int64_t began_ns, ServingTimeline* timeline) {
  began_ns_ = plan_since_ns_ = began_ns;
  plan_ = std::move(plan);
  result_.mode = plan_.mode_text;
  take_plan(true);
  std::vector<std::string> services, trainings;
  for (ServiceResult& service : result_.services) {
    service.planned_batch = scheduler_.service(services.size()).largest_batch;
    services.push_back(service.name);
  }
  for (const TrainingResult& training : result_.trainings) trainings.push_back(training.name);
  timeline_ = timeline;
  if (!timeline_) return;
  if (timeline_->tracks().empty())
    *timeline_ = ServingTimeline(std::move(services), std::move(trainings));
  timeline_->begin(began_ns);
  for (size_t s = 0; s < result_.services.size(); ++s)  // who came too early counts here
    for (size_t i = 0; i < result_.services[s].refused; ++i)
      timeline_->arrived(s, began_ns, true, 0);
}

void Execution::run(int64_t until_ns) {
  until_ns_ = until_ns;
  while (executor_.look()) {
    follow_change();
    const Decision decision = decide();
    if (decision.act == Act::stop) return;
    if (decision.act == Act::wait)
      executor_.wait();
    else
      executor_.run(decision);
  }
}

Admission Execution::arrive(size_t s, uint64_t id, int64_t samples, int64_t now_ns,
                            uint64_t shape) {
  scheduler_.announce(coming_pause_ns(now_ns));
  const Admission admission = scheduler_.arrive(s, id, samples, now_ns, shape);
  count_arrival(s, now_ns, admission.refused != RefusalReason::none);
  return admission;
}

void Execution::count_arrival(size_t s, int64_t now_ns, bool refused) {
  ServiceResult& service = result_.services[s];
  const size_t waiting = scheduler_.waiting(s);
  ++service.arrived;
  if (refused) ++service.refused;
  service.largest_queue = std::max(service.largest_queue, waiting);
  if (timeline_)
    timeline_->arrived(s, ended_ns_ > 0 ? std::min(now_ns, ended_ns_ - 1) : now_ns, refused,
                       waiting);
}

Decision Execution::decide() {
  pause_ns_ = 0;
  const int64_t now_ns = executor_.now_ns();
  const Decision decision = scheduler_.decide(now_ns);
  const double took_s = seconds_between(now_ns, executor_.now_ns());
  ++result_.decisions;
  result_.deciding_s += took_s;
  result_.longest_decision_s = std::max(result_.longest_decision_s, took_s);
  return decision;
}

void Execution::ended(const Decision& what, int64_t begin_ns, int64_t end_ns, Ending ending,
                      std::vector<bool> failed) {
  scheduler_.ended(end_ns, ending);
  if (what.act == Act::infer) {
    if (ending == Ending::failed) failed.assign(scheduler_.batch().size(), true);
    return count_batch(what, begin_ns, end_ns, failed);
  }
  TrainingResult& training = result_.trainings[what.who];
  training.busy_s += seconds_between(begin_ns, end_ns);  // of a failed one, too: it is gone
  if (ending == Ending::failed) return;
  ++training.minibatches;
  if (timeline_) timeline_->trained(what.who, begin_ns, end_ns);
}

void Execution::count_batch(const Decision& what, int64_t begin_ns, int64_t end_ns,
                            const std::vector<bool>& failed) {
  ServiceResult& service = result_.services[what.who];
  const std::span<const Waiting> batch = scheduler_.batch();
  int64_t longest_ns = 0;
  size_t lost = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    const int64_t latency_ns = end_ns - batch[i].arrived_ns;
    longest_ns = std::max(longest_ns, latency_ns);
    if (i < failed.size() && failed[i]) {
      ++lost;
      continue;
    }
    const bool late = service.answer(latency_ns);
    if (options_.measured) service.recent.add(end_ns - began_ns_, latency_ns);
    if (timeline_) timeline_->answered(what.who, end_ns, latency_ns, late);
  }
  service.failed += lost;
  ++service.batches;
  service.samples += static_cast<size_t>(what.samples);
  service.largest_batch = std::max(service.largest_batch, what.samples);
  service.busy_s += seconds_between(begin_ns, end_ns);
  if (!timeline_) return;
  if (lost > 0) timeline_->failed(what.who, end_ns, lost);
  timeline_->served(what.who, begin_ns, end_ns, what.samples, longest_ns);
}

void Execution::change(PlanChange change, int64_t now_ns) {
  if (!change_ || change_->only_in_gap) change_since_ns_ = now_ns;
  change_ = std::move(change);
}

// What will have the accelerator when what runs has ended, before anybody is served.
double Execution::coming_pause_ns(int64_t now_ns) const {
  if (!change_ || !executor_.switches(*change_)) return pause_ns_;
  const double switch_ns = change_->switch_s * 1e9;
  const bool comes =
      switch_cannot_wait(scheduler_, now_ns, change_since_ns_, switch_ns, change_->only_in_gap);
  return pause_ns_ + (comes ? switch_ns : 0);
}

// A mode changes only where every deadline is kept meanwhile, or where one is lost already.
void Execution::follow_change() {
  if (!change_ || scheduler_.draining()) return;
  const int64_t begin_ns = executor_.now_ns();
  const bool switches = executor_.switches(*change_);
  if (switches && switch_waits(scheduler_, begin_ns, change_since_ns_, change_->switch_s * 1e9,
                               change_->only_in_gap))
    return;
  PlanChange change = *std::move(change_);
  change_.reset();
  const Status set = switches ? switch_mode(change, begin_ns) : Status();
  const int64_t now_ns = executor_.now_ns();
  change.why.at_s = seconds_between(began_ns_, now_ns);
  change.why.switched = switches && set.ok();
  if (set.ok()) {
    count_planned(now_ns);
    plan_ = std::move(change.plan);
    take_plan(switches || !options_.measured);
  } else {
    change.why.why += ", but the mode cannot be set: " + set.error().message;
  }
  result_.planned_anew(std::move(change.why));
  if (change.followed) change.followed();
}

// The plan that is followed, as it was told.
Replan Execution::standing() const {
  if (!result_.replans.empty()) return result_.replans.back();
  Replan begun{.batch = result_.services.empty() ? 0 : result_.services.front().planned_batch};
  for (size_t s = 0; s < scheduler_.services(); ++s) begun.rate_hz += scheduler_.service(s).rate_hz;
  return begun;
}

void Execution::set_again(HeldMode& held, const Status& lost) {
  PlanChange change{.switch_s = held.longest_set_s(),
                    .set_mode = [&held] { return held.set_again(); }};
  Replan& why = change.why;
  why = standing();
  why.mode = held.text();
  const bool told = mode_is_lost_;
  const Status set = switch_mode(change, executor_.now_ns());
  mode_is_lost_ = !set.ok();
  if (told && mode_is_lost_) return;
  why.at_s = seconds_between(began_ns_, executor_.now_ns());
  why.switched = set.ok();
  why.why = "the mode was put back by others (" + lost.error().message + ") and " +
            (set.ok() ? "is set again" : "cannot be set again: " + set.error().message);
  result_.planned_anew(why);
}

Status Execution::switch_mode(const PlanChange& change, int64_t begin_ns) {
  scheduler_.occupy(begin_ns, change.switch_s * 1e9);
  Status set = executor_.set_mode(change);
  const int64_t end_ns = executor_.now_ns();
  scheduler_.release();
  result_.switching_s += static_cast<double>(end_ns - begin_ns) / 1e9;
  if (set.ok()) {
    ++result_.switches;
    mode_is_lost_ = false;
  }
  if (timeline_) timeline_->switched(begin_ns, end_ns);
  return set;
}

void Execution::take_plan(bool durations) {
  for (size_t s = 0; s < plan_.largest_batch.size(); ++s) {
    scheduler_.set_largest_batch(s, plan_.largest_batch[s]);
    result_.services[s].planned_batch = plan_.largest_batch[s];
  }
  if (!durations) return;
  for (size_t s = 0; s < plan_.services.size(); ++s)
    scheduler_.replace_durations(s, plan_.services[s].told());
  for (size_t t = 0; t < plan_.trainings.size(); ++t)
    scheduler_.replace_training_duration(t, plan_.trainings[t].told());
}

// What the plan until now has trained by its own figures.
void Execution::count_planned(int64_t now_ns) {
  const double seconds =
      std::max(0.0, seconds_between(plan_since_ns_, std::min(now_ns, until_ns_)));
  for (size_t t = 0; t < plan_.trainings_per_s.size(); ++t)
    result_.trainings[t].planned =
        result_.trainings[t].planned.value_or(0) + plan_.trainings_per_s[t] * seconds;
  plan_since_ns_ = now_ns;
}

JobDurations Execution::durations() const {
  JobDurations now;
  for (size_t s = 0; s < scheduler_.services(); ++s)
    now.services.push_back(
        scheduler_.inference_time(s).typical_ns(scheduler_.service(s).largest_batch));
  for (size_t t = 0; t < scheduler_.trainings(); ++t)
    now.trainings.push_back(scheduler_.training_time(t).typical_ns(1));
  return now;
}

void Execution::end(int64_t at_ns) {
  count_planned(executor_.now_ns());
  ended_ns_ = at_ns;
  result_.seconds = seconds_between(began_ns_, at_ns);
  if (timeline_) timeline_->end(at_ns);
  for (size_t t = 0; t < scheduler_.trainings(); ++t)
    // Of what ended before it was timed nothing is known.
    if (const int s = scheduler_.too_short_for(t);
        s >= 0 && result_.trainings[t].minibatches == 0 &&
        std::isfinite(scheduler_.training_time(t).upper_ns(1)))
      result_.training_blocked = blocked(t, static_cast<size_t>(s));
}

std::string Execution::blocked(size_t t, size_t s) const {
  const std::string takes =
      options_.measured
          ? fmt::format(" ({} ms)", number(scheduler_.training_time(t).upper_ns(1) * 1e-6))
          : "";
  const int64_t margin_ns = scheduler_.service(s).margin_ns;
  const std::string margin =
      margin_ns > 0 ? fmt::format(", {:g} ms of which are kept for the client's side (--margin)",
                                  static_cast<double>(margin_ns) * 1e-6)
                    : "";
  return fmt::format(
      "{} did not train: a minibatch of it{} and an answer of {} take longer than its latency "
      "budget of {} ms{}",
      scheduler_.training(t).name, takes, scheduler_.service(s).name,
      as_typed(result_.services[s].budget_ms), margin);
}

}  // namespace flyball
