// What a planner does to measure modes that nobody has profiled.
#include <fmt/format.h>

#include <cmath>

#include "base/figure.h"
#include "schedule/planning/serving_planner.h"

namespace flyball {
namespace {

constexpr double first_visit_s = 2;  // after it began to serve
constexpr double calm_s = 10;        // without a request that was late or refused

// As if one minibatch had taken as long as the curve says: it stays the upper bound for the first
// hundred, however little they take, since those of other batch sizes may take more.
DurationModel with_caution(DurationModel upper) {
  upper.observe(1, upper.typical_ns(1));
  return upper;
}

}  // namespace

void ServingPlanner::ran(const Decision& what, int64_t begin_ns, int64_t end_ns) {
  const std::lock_guard lock(mutex_);
  if (!observed_ || !is_in(*observed_)) return;
  size_t who = what.who;
  const bool serves = what.act == Act::infer;
  for (size_t role = 0; role < problem_.roles.size(); ++role) {
    if (problem_.roles[role].serves() != serves) continue;
    if (who-- == 0) ran_.push_back({role, what.samples, begin_ns, end_ns});
  }
}

std::optional<ModePromise> ServingPlanner::promised() {
  const auto best = replanner_.plan_for(rates_hz_);
  if (end_ || explorer_.left() == 0) return std::nullopt;
  auto promise = explorer_.next(readings_, rates_hz_, best);
  if (promise) return *std::move(promise);
  measuring_gap_ = "no mode can be predicted from these profiles: " + promise.error().message;
  return std::nullopt;
}

bool ServingPlanner::calm(int64_t now_ns) {
  const size_t lost = lost_of(planned_.stands());
  if (lost != lost_) lost_ns_ = now_ns;
  lost_ = lost;
  return lost_ns_ < 0 || static_cast<double>(now_ns - lost_ns_) * 1e-9 >= calm_s;
}

void ServingPlanner::explore(int64_t now_ns) {
  if (explorer_.left() == 0 || explored_ || !planned_.set_mode || !planned_.stands) return;
  if (static_cast<double>(now_ns - began_ns_) * 1e-9 < first_visit_s) return;
  if (waits() || !is_in(mode_of(choice_))) return;
  for (const Role& role : problem_.roles)
    if (role.serves() && !(switch_s() * 1e3 < role.latency_ms)) {
      measuring_gap_ = fmt::format(
          "a change of mode takes {:.3g} s, and no gap within a latency budget of {:g} ms holds it",
          switch_s(), role.latency_ms);
      explored_ = true;
      return;
    }
  if (!calm(now_ns)) return;
  if (auto promise = promised()) return begin_visit(*std::move(promise), now_ns, "");
  explored_ = true;
}

void ServingPlanner::begin_visit(ModePromise promise, int64_t now_ns, const std::string& after) {
  visit_.emplace(problem_, std::move(promise), planned_.stands(), now_ns, options_.visit);
  {
    const std::lock_guard lock(mutex_);
    observed_ = visit_->mode();
    ran_.clear();
  }
  const ModePromise& asked = visit_->promise();
  PlanChange change;
  change.only_in_gap = true;
  change.why.why = after + (problem_.concurrent()
                                ? fmt::format("to be measured, {:.3g} training minibatches/s are "
                                              "predicted there",
                                              asked.trainings_per_s)
                                : fmt::format("to be measured, answers within {} ms are "
                                              "predicted there",
                                              number(asked.p99_ms)));
  for (const double rate_hz : rates_hz_) change.why.rate_hz += rate_hz;
  change.why.batch = asked.plan.largest_batch.front();
  change.plan = asked.plan;
  change.plan.trainings_per_s.assign(asked.plan.trainings.size() == 1 ? 1 : 0,
                                     asked.trainings_per_s);
  for (auto* jobs : {&change.plan.services, &change.plan.trainings})
    for (JobTimeline& job : *jobs) job.minibatch = with_caution(std::move(job.minibatch));
  set_off(std::move(change), asked.mode, asked.choice);
}

void ServingPlanner::look_at_visit(int64_t now_ns) {
  if (!visit_->begun()) {
    if (is_in(visit_->mode())) {
      visit_->begin(now_ns);
      explorer_.visited(visit_->mode());
    } else if (static_cast<double>(now_ns - visit_->asked_ns()) * 1e-9 > options_.gap_s) {
      withdraw_visit("no gap held the switch to " + in_words(visit_->mode()));
    } else {
      visit_->waits(planned_.stands());
    }
    return;
  }
  std::vector<Ended> ran;
  {
    const std::lock_guard lock(mutex_);
    ran.swap(ran_);
  }
  for (const Ended& one : ran) visit_->ran(one.role, one.samples, one.begin_ns, one.end_ns);
  if (const std::string danger = visit_->danger(planned_.stands(), now_ns); !danger.empty()) {
    const std::string mode = in_words(visit_->mode());
    learn_visit(now_ns, danger);
    stay(fmt::format("{} is left: {}", mode, danger));
  } else if (visit_->complete(now_ns)) {
    end_visit(now_ns);
  }
}

void ServingPlanner::drop_visit() {
  visit_.reset();
  const std::lock_guard lock(mutex_);
  observed_.reset();
}

// The switch has not begun: the plan that is executed replaces what waits.
void ServingPlanner::withdraw_visit(const std::string& why) {
  explorer_.pass_over(visit_->mode());
  drop_visit();
  plan_anyway(why);
}

MeasuredMode ServingPlanner::learn_visit(int64_t now_ns, std::string left) {
  MeasuredMode measured = visit_->learn(readings_, planned_.stands(), now_ns);
  measured.at_s = static_cast<double>(now_ns - began_ns_) * 1e-9 - measured.seconds;
  measured.left = std::move(left);
  measured_.push_back(measured);
  drop_visit();
  replanner_.forget_plans();
  return measured;
}

void ServingPlanner::tell(ServingResult& result) const {
  if (options_.measure == 0) return;
  result.measure_most = options_.measure;
  result.measured = measured_;
  result.measuring_gap = measuring_gap_;
}

void ServingPlanner::end_visit(int64_t now_ns) {
  const size_t mode = visit_->mode();
  learn_visit(now_ns, "");
  if (auto next = promised())
    return begin_visit(*std::move(next), now_ns, in_words(mode) + " is measured; ");
  explored_ = true;
  const std::string measured = in_words(mode) + " is measured";
  const auto best = replanner_.plan_for(rates_hz_);
  if (!best) return stay(measured + Replanner::nothing_keeps);
  settle_on(*best, measured + (mode_of(best->choice) == mode ? ": it is the best there is"
                                                             : ": another one is better"));
}

}  // namespace flyball
