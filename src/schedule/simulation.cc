#include "schedule/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/os/interrupt.h"
#include "base/random.h"

namespace flyball {
namespace {

constexpr auto never = std::numeric_limits<int64_t>::max();

/// Known durations on a clock that goes on as fast as they are counted.
class SimulatedRun final : public Executor {
 public:
  explicit SimulatedRun(Simulation simulation)
      : asked_(std::move(simulation)),
        execution_(*this, {asked_.durations, asked_.preference}),
        random_(mix_seed(asked_.seed, 7)),
        end_ns_(static_cast<int64_t>(std::llround(asked_.seconds * 1e9))) {
    for (ServiceRules& rules : asked_.services) execution_.add(std::move(rules));
    for (TrainingRules& rules : asked_.trainings) execution_.add(std::move(rules));
    for (ArrivalSource* source : asked_.arrivals)
      next_.push_back(source->next_ns().value_or(never));
    execution_.begin(std::move(asked_.plan), 0, asked_.timeline);
  }

  ServingResult run_all() {
    execution_.run(end_ns_);
    execution_.end(std::max(now_ns_, end_ns_));
    return std::move(result());
  }

 private:
  int64_t now_ns() const override { return now_ns_; }

  bool look() override {
    if (is_interrupted(asked_.stop)) return false;
    if (asked_.give_up && asked_.give_up(result())) return false;
    let_arrive(now_ns_);
    Scheduler& scheduler = execution_.scheduler();
    if (now_ns_ >= end_ns_) scheduler.drain();
    if (!asked_.replan || scheduler.draining()) return true;
    if (auto change = asked_.replan(now_ns_, result())) {
      change->switch_s = asked_.switch_s;
      change->why.mode = change->plan.mode_text;
      execution_.change(*std::move(change), now_ns_);
    }
    return true;
  }

  void wait() override {
    const int64_t next_ns = std::min(*std::ranges::min_element(next_), end_ns_);
    draw(execution_.plan().idle_w, next_ns);
    now_ns_ = next_ns;
  }

  void run(const Decision& what) override {
    const bool infers = what.act == Act::infer;
    const RunningPlan& plan = execution_.plan();
    const JobTimeline& job = infers ? plan.services[what.who] : plan.trainings[what.who];
    const double ns = jittered(job.minibatch.typical_ns(infers ? what.samples : 1));
    const int64_t end_ns = now_ns_ + std::max<int64_t>(1, std::llround(ns));
    let_arrive(end_ns - 1);
    execution_.ended(what, now_ns_, end_ns);
    const double seconds = static_cast<double>(end_ns - now_ns_) * 1e-9;
    (infers ? result().services[what.who].energy_j : result().trainings[what.who].energy_j) +=
        job.power_w * seconds;
    draw(job.power_w, end_ns);
    if (asked_.ran) asked_.ran(what, now_ns_, end_ns);
    now_ns_ = end_ns;
  }

  bool switches(const PlanChange& change) const override {
    return change.plan.mode != execution_.plan().mode;
  }

  Status set_mode(const PlanChange& change) override {
    const int64_t end_ns = now_ns_ + std::llround(change.switch_s * 1e9);
    let_arrive(end_ns);
    draw(execution_.plan().idle_w, end_ns);
    now_ns_ = end_ns;
    return change.set_mode ? change.set_mode() : Status();
  }

  // Requests until this moment, in the order in which they come.
  void let_arrive(int64_t until_ns) {
    while (true) {
      const auto first = std::ranges::min_element(next_);
      if (first == next_.end() || *first > until_ns || *first >= end_ns_) return;
      const auto s = static_cast<size_t>(first - next_.begin());
      const int64_t at_ns = *first;
      *first = asked_.arrivals[s]->next_ns().value_or(never);
      execution_.arrive(s, result().services[s].arrived, 1, at_ns);
      if (asked_.arrived) asked_.arrived(s, at_ns);
    }
  }

  // Power from now until then.
  void draw(double watts, int64_t until_ns) {
    result().energy_j += watts * static_cast<double>(until_ns - now_ns_) * 1e-9;
    if (asked_.timeline) asked_.timeline->power(now_ns_, until_ns, watts);
  }

  double jittered(double ns) {
    if (!(asked_.jitter > 0)) return ns;
    const double sigma = std::sqrt(std::log1p(asked_.jitter * asked_.jitter));
    return ns * std::exp(sigma * random_.normal() - sigma * sigma / 2);
  }

  ServingResult& result() { return execution_.result(); }

  Simulation asked_;
  Execution execution_;
  Random random_;
  std::vector<int64_t> next_;  ///< arrival at each service
  int64_t now_ns_ = 0, end_ns_;
};

}  // namespace

ServingResult simulate(Simulation simulation) {
  return SimulatedRun(std::move(simulation)).run_all();
}

}  // namespace flyball
