#include "schedule/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace flyball {
namespace {

constexpr auto never = std::numeric_limits<int64_t>::max();

const DurationModel& expected_of(const JobCourse& job) {
  return job.expected.known() ? job.expected : job.minibatch;
}

class Course {
 public:
  explicit Course(Simulation simulation)
      : asked_(std::move(simulation)),
        scheduler_(asked_.services, asked_.trainings, asked_.durations),
        random_(mix_seed(asked_.seed, 7)),
        end_ns_(static_cast<int64_t>(std::llround(asked_.seconds * 1e9))) {
    for (const ServiceRules& rules : asked_.services)
      result_.services.push_back(
          {.name = rules.name, .budget_ms = static_cast<double>(rules.latency_ns) * 1e-6});
    for (const TrainingRules& rules : asked_.trainings)
      result_.trainings.push_back({.name = rules.name});
    for (ArrivalSource* source : asked_.arrivals)
      next_.push_back(source->next_ns().value_or(never));
    result_.mode = asked_.plan.mode_text;
    take_plan();
  }

  LiveResult run() {
    while (!asked_.stop || !*asked_.stop) {
      let_arrive(now_ns_);
      if (now_ns_ >= end_ns_) scheduler_.drain();
      if (asked_.replan && !scheduler_.draining()) follow_new_plan();
      const Decision decision = scheduler_.decide(now_ns_);
      ++result_.decisions;
      if (decision.act == Act::stop) break;
      if (decision.act == Act::wait)
        wait();
      else
        run_minibatch(decision);
    }
    finish();
    return std::move(result_);
  }

 private:
  void take_plan() {
    for (size_t s = 0; s < scheduler_.services(); ++s) {
      scheduler_.set_largest_batch(s, asked_.plan.largest_batch[s]);
      result_.services[s].planned_batch = asked_.plan.largest_batch[s];
      scheduler_.replace_durations(s, expected_of(asked_.plan.services[s]));
    }
    for (size_t t = 0; t < scheduler_.trainings(); ++t)
      scheduler_.replace_training_duration(t, expected_of(asked_.plan.trainings[t]));
  }

  // Requests until this moment, in the order in which they come.
  void let_arrive(int64_t until_ns) {
    while (true) {
      const auto first = std::ranges::min_element(next_);
      if (first == next_.end() || *first > until_ns || *first >= end_ns_) return;
      const auto s = static_cast<size_t>(first - next_.begin());
      const int64_t at_ns = *first;
      *first = asked_.arrivals[s]->next_ns().value_or(never);
      ServiceResult& service = result_.services[s];
      scheduler_.announce(pending_ ? coming_switch_ns(at_ns) : 0);
      const Admission admission = scheduler_.arrive(s, service.arrived++, 1, at_ns);
      if (admission.refused != RefusalReason::none) ++service.refused;
      service.largest_queue = std::max(service.largest_queue, scheduler_.waiting(s));
      if (asked_.timeline)
        asked_.timeline->arrived(s, at_ns, admission.refused != RefusalReason::none,
                                 scheduler_.waiting(s));
      if (asked_.arrived) asked_.arrived(s, at_ns);
    }
  }

  // A switch of mode that comes as soon as what runs has ended.
  double coming_switch_ns(int64_t at_ns) const {
    const double switch_ns = asked_.switch_s * 1e9;
    const bool comes =
        pending_->plan.mode != asked_.plan.mode &&
        switch_cannot_wait(scheduler_, at_ns, pending_since_ns_, switch_ns, pending_->only_in_gap);
    return comes ? switch_ns : 0;
  }

  void wait() {
    const int64_t next_ns = std::min(*std::ranges::min_element(next_), end_ns_);
    draw(asked_.plan.idle_w, next_ns);
    now_ns_ = next_ns;
  }

  // Power from now until then.
  void draw(double watts, int64_t until_ns) {
    result_.energy_j += watts * static_cast<double>(until_ns - now_ns_) * 1e-9;
    if (asked_.timeline) asked_.timeline->power(now_ns_, until_ns, watts);
  }

  double jittered(double ns) {
    if (!(asked_.jitter > 0)) return ns;
    const double sigma = std::sqrt(std::log1p(asked_.jitter * asked_.jitter));
    return ns * std::exp(sigma * random_.normal() - sigma * sigma / 2);
  }

  void run_minibatch(const Decision& decision) {
    const bool infers = decision.act == Act::infer;
    const JobCourse& job =
        infers ? asked_.plan.services[decision.who] : asked_.plan.trainings[decision.who];
    const double ns = jittered(job.minibatch.typical_ns(infers ? decision.samples : 1));
    const int64_t ends_ns = now_ns_ + std::max<int64_t>(1, std::llround(ns));
    let_arrive(ends_ns - 1);
    scheduler_.ended(ends_ns);
    const double seconds = static_cast<double>(ends_ns - now_ns_) * 1e-9;
    if (infers)
      count_batch(decision, ends_ns, seconds, job.power_w);
    else
      count_minibatch(decision.who, ends_ns, seconds, job.power_w);
    draw(job.power_w, ends_ns);
    if (asked_.ran) asked_.ran(decision, now_ns_, ends_ns);
    now_ns_ = ends_ns;
  }

  void count_batch(const Decision& decision, int64_t ends_ns, double seconds, double power_w) {
    ServiceResult& service = result_.services[decision.who];
    int64_t longest_ns = 0;
    for (const Waiting& request : scheduler_.batch()) {
      const int64_t latency_ns = ends_ns - request.arrived_ns;
      const bool late = service.answer(latency_ns);
      longest_ns = std::max(longest_ns, latency_ns);
      if (asked_.timeline) asked_.timeline->answered(decision.who, ends_ns, latency_ns, late);
    }
    ++service.batches;
    service.samples += static_cast<size_t>(decision.samples);
    service.largest_batch = std::max(service.largest_batch, decision.samples);
    service.busy_s += seconds;
    service.energy_j += power_w * seconds;
    if (asked_.timeline)
      asked_.timeline->served(decision.who, now_ns_, ends_ns, decision.samples, longest_ns);
  }

  void count_minibatch(size_t who, int64_t ends_ns, double seconds, double power_w) {
    TrainingResult& training = result_.trainings[who];
    ++training.minibatches;
    training.busy_s += seconds;
    training.energy_j += power_w * seconds;
    if (asked_.timeline) asked_.timeline->trained(who, now_ns_, ends_ns);
  }

  // A mode changes only where every deadline is kept meanwhile, or where one is lost already.
  void follow_new_plan() {
    if (auto change = asked_.replan(now_ns_, result_)) {
      if (!pending_ || pending_->only_in_gap) pending_since_ns_ = now_ns_;
      pending_ = std::move(change);
    }
    if (!pending_) return;
    const bool switches = pending_->plan.mode != asked_.plan.mode;
    const double switch_ns = asked_.switch_s * 1e9;
    if (switches &&
        switch_waits(scheduler_, now_ns_, pending_since_ns_, switch_ns, pending_->only_in_gap))
      return;
    if (switches) change_mode();
    pending_->why.at_s = static_cast<double>(now_ns_) * 1e-9;
    pending_->why.mode = pending_->plan.mode_text;
    pending_->why.switched = switches;
    count_planned();
    asked_.plan = std::move(pending_->plan);
    result_.planned_anew(std::move(pending_->why));
    const auto followed = std::move(pending_->followed);
    pending_.reset();
    take_plan();
    if (followed) followed();
  }

  void change_mode() {
    const int64_t ends_ns = now_ns_ + std::llround(asked_.switch_s * 1e9);
    scheduler_.occupy(now_ns_, asked_.switch_s * 1e9);
    let_arrive(ends_ns);
    scheduler_.release();
    ++result_.switches;
    result_.switching_s += asked_.switch_s;
    draw(asked_.plan.idle_w, ends_ns);
    if (asked_.timeline) asked_.timeline->switched(now_ns_, ends_ns);
    now_ns_ = ends_ns;
  }

  // What the plan that ends here has trained by its own figures.
  void count_planned() {
    const double seconds = static_cast<double>(std::min(now_ns_, end_ns_) - plan_since_ns_) * 1e-9;
    for (size_t t = 0; t < asked_.plan.trainings_per_s.size(); ++t)
      result_.trainings[t].planned = result_.trainings[t].planned.value_or(0) +
                                     asked_.plan.trainings_per_s[t] * std::max(0.0, seconds);
    plan_since_ns_ = now_ns_;
  }

  void finish() {
    count_planned();
    result_.seconds = static_cast<double>(std::max(now_ns_, end_ns_)) * 1e-9;
    if (asked_.timeline) asked_.timeline->end(std::max(now_ns_, end_ns_));
    for (size_t t = 0; t < scheduler_.trainings(); ++t) {
      const int service = scheduler_.too_short_for(t);
      if (result_.trainings[t].minibatches > 0 || service < 0) continue;
      result_.training_blocked = fmt::format(
          "{} did not train: a minibatch of it and an answer of {} take longer than its latency "
          "budget of {:g} ms",
          scheduler_.training(t).name, scheduler_.service(static_cast<size_t>(service)).name,
          result_.services[static_cast<size_t>(service)].budget_ms);
    }
  }

  Simulation asked_;
  Scheduler scheduler_;
  Random random_;
  LiveResult result_;
  std::vector<int64_t> next_;
  std::optional<PlanChange> pending_;
  int64_t now_ns_ = 0, end_ns_, plan_since_ns_ = 0, pending_since_ns_ = 0;
};

}  // namespace

LiveResult simulate(Simulation simulation) {
  return Course(std::move(simulation)).run();
}

}  // namespace flyball
