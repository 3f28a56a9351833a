#include "schedule/planning/serving_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/clock.h"
#include "base/figure.h"
#include "base/units.h"

namespace flyball {
namespace {

ReplanOptions with(ReplanOptions options, std::function<bool(std::span<const size_t>)> allowed,
                   const std::atomic<bool>& stop) {
  options.allowed = std::move(allowed);
  options.stop = &stop;
  return options;
}

ExploreOptions explore_options(const ServingPlannerOptions& options,
                               const std::atomic<bool>& stop) {
  return {.most = options.measure,
          .percentile = options.replan.percentile,
          .margin = options.replan.margin,
          .requests = options.replan.requests,
          .seed = options.replan.seed,
          .queue = options.queue,
          .stop = &stop};
}

}  // namespace

ServingPlanner::ServingPlanner(Problem problem, Readings readings, std::vector<size_t> choice,
                               std::vector<double> rates_hz, ServingChoice planned,
                               ServingPlannerOptions options)
    : problem_(std::move(problem)),
      readings_(std::move(readings)),
      planned_(std::move(planned)),
      options_(std::move(options)),
      replanner_(live(), with(
                             options_.replan,
                             [this](std::span<const size_t> one) { return allowed(one); }, end_)),
      choice_(std::move(choice)),
      rates_hz_(std::move(rates_hz)),
      first_(rates_hz_.size()),
      began_ns_(options_.began_ns.value_or(monotonic_ns())),
      next_drift_ns_(began_ns_ + static_cast<int64_t>(options_.drift_s * 1e9)),
      explorer_(problem_, explore_options(options_, end_)),
      board_mode_(options_.mode_is_set ? static_cast<int64_t>(mode_of(choice_)) : -1),
      settled_(choice_) {
  if (rates_known()) replanner_.begin(rates_hz_, choice_, began_ns_);
}

ServingPlanner::~ServingPlanner() {
  stop();
}

void ServingPlanner::stop() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ServingPlanner::start() {
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::duration<double>(options_.look_s),
                            [this] { return end_.load(); })) {
      lock.unlock();
      look(monotonic_ns());
      lock.lock();
    }
  });
}

void ServingPlanner::arrived(size_t service, int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  arrivals_.push_back({service, now_ns});
}

bool ServingPlanner::rates_known() const {
  return std::ranges::all_of(rates_hz_, [](double rate_hz) { return rate_hz > 0; });
}

bool ServingPlanner::allowed(std::span<const size_t> choice) const {
  const auto found = back_off_.find(mode_of(choice));
  return found == back_off_.end() || !found->second.holds;
}

void ServingPlanner::look(int64_t now_ns) {
  take_failures(now_ns);
  watch_arrivals(now_ns);
  if (end_ || !rates_known()) return;
  if (visit_) return look_at_visit(now_ns);
  watch_drift(now_ns);
  explore(now_ns);
}

std::vector<ServingPlanner::Arrival> ServingPlanner::take_arrivals() {
  std::vector<Arrival> arrivals;
  const std::lock_guard lock(mutex_);
  arrivals.swap(arrivals_);
  return arrivals;
}

void ServingPlanner::watch_arrivals(int64_t now_ns) {
  const std::vector<Arrival> arrivals = take_arrivals();
  if (!rates_known()) {
    for (const Arrival& one : arrivals) first_[one.service].push_back(one.at_ns);
    return learn_rates(now_ns);
  }
  for (const Arrival& one : arrivals) replanner_.arrived(one.service, one.at_ns);
  auto why = replanner_.rates_changed(now_ns);
  rates_hz_ = replanner_.rates_hz();
  if (!why || !rates_known()) return;
  explored_ = false;  // what is worth a visit may be another mode
  if (!visit_) return plan_again(*std::move(why));
  if (!visit_->begun()) return withdraw_visit(*why);
  learn_visit(now_ns, *why);
  plan_anyway(*std::move(why));
}

// The first plan of services whose rates nobody told: from a number of arrivals at one of them, an
// eighth of it at each other one, or ten times as many where one is asked for nothing.
void ServingPlanner::learn_rates(int64_t now_ns) {
  size_t most = 0, least = first_.front().size();
  for (const auto& at_ns : first_) {
    most = std::max(most, at_ns.size());
    least = std::min(least, at_ns.size());
  }
  const size_t enough = options_.first_arrivals;
  if (most < enough || (8 * least < enough && most < 10 * enough)) return;
  int64_t from_ns = now_ns;
  for (const auto& at_ns : first_)
    if (!at_ns.empty()) from_ns = std::min(from_ns, at_ns.front());
  std::string why;
  for (size_t s = 0; s < first_.size(); ++s) {
    const std::vector<int64_t>& at_ns = first_[s];
    const bool some = at_ns.size() > 1;
    const double seconds =
        static_cast<double>(some ? at_ns.back() - at_ns.front() : now_ns - from_ns) * 1e-9;
    if (!(seconds > 0)) return;
    rates_hz_[s] = (some ? static_cast<double>(at_ns.size() - 1) : 1) / seconds;
    why += fmt::format("{}{} requests/s arrive", s == 0 ? "" : ", ", number(rates_hz_[s]));
  }
  for (auto& at_ns : first_) at_ns.clear();
  replanner_.begin(rates_hz_, choice_, now_ns);
  const auto best = replanner_.plan_for(rates_hz_);
  if (best && (best->choice == choice_ || board_mode_ < 0)) return settle_on(*best, why);
  plan_again(why);
}

// What is observed of a job holds for its whole table: a program beside it, heat, another library
// slow all modes down alike, as far as one knows.
bool ServingPlanner::drifted(std::string& why) {
  const JobDurations now = planned_.durations();
  const RunningPlan plan = live().plan(choice_);
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

bool ServingPlanner::beyond_budget(std::string& why) {
  const double drawn_w = planned_.power_w ? planned_.power_w() : not_measured;
  const double budget_w = problem_.budgets.power_w, planned_w = live().power_w(choice_);
  const double slack = options_.power_slack;
  if (budget_w == unlimited || !(drawn_w > budget_w * slack)) return false;
  // As is known of it already: nothing that keeps the budget was found.
  if (drawn_w < planned_w * slack && drawn_w * slack > planned_w) return false;
  for (auto& role : readings_)
    for (Reading& reading : role) reading.power_w *= drawn_w / planned_w;
  why = fmt::format("{:.3g} W are drawn where {:.3g} W were planned, of a budget of {:g} W",
                    drawn_w, planned_w, budget_w);
  return std::isfinite(planned_w);
}

void ServingPlanner::watch_drift(int64_t now_ns) {
  if (!planned_.durations || now_ns < next_drift_ns_) return;
  next_drift_ns_ = now_ns + static_cast<int64_t>(options_.drift_s * 1e9);
  if (waits() || (planned_.set_mode && !is_in(mode_of(choice_)))) return;
  std::string why;
  if (!drifted(why) && !beyond_budget(why)) return;
  replanner_.forget_plans();
  explored_ = false;
  plan_again(why);
}

void ServingPlanner::plan_again(std::string why) {
  if (auto change = replanner_.plan_again(rates_hz_, std::move(why))) hand_over(*std::move(change));
}

void ServingPlanner::settle_on(const SimulatedChoice& choice, std::string why) {
  replanner_.take(choice.choice);
  hand_over(replanner_.change_of(choice, rates_hz_, std::move(why)));
}

void ServingPlanner::stay(std::string why) {
  replanner_.take(choice_);
  hand_over(replanner_.change_of(replanner_.present(rates_hz_), rates_hz_, std::move(why)));
}

void ServingPlanner::hand_over(PlanChange change) {
  if (end_) return;
  choice_ = replanner_.choice();
  set_off(std::move(change), mode_of(choice_), choice_);
}

// Each change names its mode, and whether that is to be set is looked at when it is followed: one
// that it replaces may have been followed meanwhile, or never be.
void ServingPlanner::set_off(PlanChange change, size_t mode, std::vector<size_t> choice) {
  change.why.mode = in_words(mode);
  if (planned_.set_mode) {
    change.switch_s = switch_s();
    change.mode_is_set = [this, mode] { return is_in(mode); };
    change.set_mode = [this, mode] { return follow(mode); };
  }
  change.followed = [this, mode, choice = std::move(choice), number = ++handed_over_] {
    followed(mode, choice);
    followed_ = number;
  };
  planned_.change(std::move(change));
}

// In the thread that serves. A visit settles nothing, nor does a mode that could not be set.
void ServingPlanner::followed(size_t mode, const std::vector<size_t>& choice) {
  const std::lock_guard lock(mutex_);
  const bool is_set = !planned_.set_mode || is_in(mode);
  if (is_set && observed_ != mode) settled_ = choice;
}

// Likewise. Where a mode cannot be set the one before is set again.
Status ServingPlanner::follow(size_t mode) {
  const int64_t before = board_mode_;
  const double began_s = static_cast<double>(monotonic_ns()) * 1e-9;
  const Status set = planned_.set_mode(mode);
  if (set.ok()) {
    const double took_s = static_cast<double>(monotonic_ns()) * 1e-9 - began_s;
    longest_switch_s_ = std::max(longest_switch_s_.load(), took_s);
    board_mode_ = static_cast<int64_t>(mode);
    return {};
  }
  {
    const std::lock_guard lock(mutex_);
    failed_.push_back(mode);
  }
  Error error = set.error();
  if (before < 0) return error;
  const Status back = planned_.set_mode(static_cast<size_t>(before));
  error.message += back.ok() ? "; " + in_words(static_cast<size_t>(before)) + " is set again"
                             : "; nor can the mode before be set again: " + back.error().message;
  return error;
}

// What could not be set is let be for a while; what is executed stays, or another plan is made.
void ServingPlanner::take_failures(int64_t now_ns) {
  std::vector<size_t> failed, settled;
  {
    const std::lock_guard lock(mutex_);
    failed.swap(failed_);
    settled = settled_;
  }
  for (auto& [mode, back_off] : back_off_) {
    if (!back_off.holds || now_ns < back_off.until_ns) continue;
    back_off.holds = false;
    if (!visit_) plan_from_board(in_words(mode) + " may be set again");
  }
  for (const size_t mode : failed) {
    BackOff& back_off = back_off_[mode];
    back_off.holds = true;
    back_off.next_s = std::clamp(2 * back_off.next_s, options_.back_off_s, 3600.0);
    back_off.until_ns = now_ns + static_cast<int64_t>(back_off.next_s * 1e9);
    explorer_.pass_over(mode);
    drop_visit();
    choice_ = settled;
    replanner_.take(choice_);
    if (rates_known()) plan_anyway(in_words(mode) + " cannot be set");
  }
}

// As plan_again(), where the board may be in another mode than that of the plan.
void ServingPlanner::plan_from_board(std::string why) {
  if (is_in(mode_of(choice_))) return plan_again(std::move(why));
  plan_anyway(std::move(why));
}

// Hands over in any case: another plan may still wait that is not to be followed.
void ServingPlanner::plan_anyway(std::string why) {
  const auto best = replanner_.plan_for(rates_hz_);
  return best ? settle_on(*best, std::move(why)) : stay(std::move(why) + Replanner::nothing_keeps);
}

}  // namespace flyball
