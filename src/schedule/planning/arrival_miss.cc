#include "schedule/planning/arrival_miss.h"

#include <fmt/format.h>

#include "answers/request.h"
#include "base/figure.h"
#include "base/text.h"

namespace flyball {
namespace {

std::string words_of(const Problem& problem, std::span<const size_t> choice) {
  const size_t last = problem.roles.size() - 1;  // a service
  const Candidates& all = *problem.candidates;
  const Trial trial = all.space(last).trial(choice[last], "", Phase::infer);
  const std::string batches = fmt::format("batches up to {:g}", all.batch(last, choice[last]));
  return trial.mode.values.empty() ? batches : describe(trial.mode.values) + ", " + batches;
}

Advice advice_on(Constraint limit, double value, const std::string& workload = "") {
  const LimitFlag flag = limit_flag(limit);
  return {flag.flag, value, flag.unit, Provenance::simulated, workload};
}

Advice power_advice(double power_w) {
  return advice_on(Constraint::power, rounded(power_w, 3, true));
}

/// The latency budgets as they are typed: one value for each service, or one for all.
Advice latency_advice(const Problem& problem, const EnoughLatency& enough) {
  const bool one_of_two = enough.role && problem.two_services();
  Advice advice = advice_on(Constraint::latency, enough.latency_ms,
                            one_of_two ? role_name(problem, *enough.role) : "");
  if (!one_of_two) return advice;
  std::vector<std::string> values;
  for (size_t role = 0; role < problem.roles.size(); ++role)
    values.push_back(fmt::format(
        "{:.12g}ms", role == *enough.role ? enough.latency_ms : problem.roles[role].latency_ms));
  advice.whole = join(values, " ");
  return advice;
}

/// "poisson:20 poisson:30" or, where --rate gave it, "20 30".
Advice rate_advice(const Problem& problem, const std::vector<ArrivalSpec>& arrivals,
                   size_t service) {
  const bool by_rate = arrivals[service].by_rate;
  std::vector<std::string> values;
  for (const ArrivalSpec& spec : arrivals)
    values.push_back(by_rate        ? fmt::format("{:.12g}", spec.rate_hz)
                     : spec.by_rate ? spec.text.substr(0, spec.text.find(':'))
                                    : spec.text);
  Advice advice = advice_on(Constraint::arrival_rate, arrivals[service].rate_hz,
                            problem.two_services() ? role_name(problem, service) : "");
  if (!by_rate) advice.flag = "--arrivals";
  advice.whole = join(values, " ");
  return advice;
}

/// As many digits as show that it is below: 98.96 of 99.
std::string below_text(double value, double bound) {
  constexpr int most_digits = 9;
  for (int digits = 3; digits < most_digits; ++digits)
    if (std::string text = fmt::format("{:.{}g}", value, digits);
        parse_double(text).value_or(bound) < bound)
      return text;
  return fmt::format("{:.3g}", value);
}

/// A request for arrivals that cannot be met, and what would do instead.
class Miss {
 public:
  Miss(ArrivalPlanner& planner, const Problem& problem, double power_w)
      : planner_(planner), problem_(problem), power_w_(power_w) {}

  Refusal refusal(double percentile) {
    refusal_.why_not = {
        Code::infeasible,
        fmt::format("no choice answers {:g} % of these requests within the limits", percentile),
        ""};
    tell_what_misses(percentile);
    ease_latencies();
    ease_percentile();
    ease_rates(ArrivalPlanner::few);
    if (alone().empty()) ease_rates(ArrivalPlanner::fewest);
    if (alone().empty()) ease_together();
    if (planner_.stopped()) return {{Code::interrupted, "interrupted", ""}};
    refusal_.why_not.hint = hint();
    return std::move(refusal_);
  }

 private:
  std::vector<Advice>& alone() { return refusal_.remedies.alone; }
  void say(const std::string& text) { refusal_.why_not.message += text; }

  void tell_what_misses(double percentile) {
    nearest_ = planner_.nearest(power_w_);
    if (const auto enough = planner_.least_power(power_w_)) {
      alone().push_back(power_advice(enough->power_w));
      say(fmt::format(": as simulated it takes {:g} W ({}), and {:g} W are allowed",
                      alone().back().value, words_of(problem_, enough->choice), power_w_));
    } else if (nearest_) {
      say(fmt::format(": the nearest ({}) answers {} %", words_of(problem_, nearest_->choice),
                      below_text(100 * (1 - nearest_->late_share), percentile)));
    } else {
      tell_load();
    }
  }

  void tell_load() {
    constexpr const char* taken =
        "in the fastest choice they take {:.3g} times the time that there is";
    if (planner_.least_patient_load() >= 1)
      say(": they come faster than they can be answered; " +
          fmt::format(taken, planner_.least_patient_load()));
    else if (planner_.least_load() >= 1)
      say(": within the latency too few gather in a batch; " +
          fmt::format(taken, planner_.least_load()));
  }

  /// Of each service alone, else of all of them.
  void ease_latencies() {
    std::vector<EnoughLatency> all;
    for (size_t role = 0; role < problem_.roles.size(); ++role)
      if (problem_.roles[role].serves())
        if (auto enough = planner_.least_latency(power_w_, role)) all.push_back(*std::move(enough));
    if (all.empty() && problem_.two_services())
      if (auto enough = planner_.least_latency(power_w_, {})) all.push_back(*std::move(enough));
    for (const EnoughLatency& enough : all) alone().push_back(latency_advice(problem_, enough));
  }

  void ease_percentile() {
    if (!nearest_) return;
    if (const auto kept = planner_.kept_percentile(nearest_->choice))
      alone().push_back(
          {"--percentile", *kept, "%", Provenance::simulated, "", fmt::format("{:.12g}", *kept)});
  }

  void ease_rates(double share) {
    for (size_t s = 0; s < planner_.arrivals().size(); ++s) {
      const auto enough = planner_.highest_rate(power_w_, s, share);
      if (!enough) continue;
      std::vector<ArrivalSpec> slower = planner_.arrivals();
      slower[s] = *at_rate(slower[s], enough->rate_hz);
      alone().push_back(rate_advice(problem_, slower, s));
    }
  }

  void ease_together() {
    const auto enough = planner_.least_together(power_w_);
    if (!enough) return;
    std::vector<Advice>& together = refusal_.remedies.together;
    if (power_w_ != unlimited && enough->power_w > power_w_)
      together.push_back(power_advice(enough->power_w));
    together.push_back(latency_advice(problem_, *enough));
    for (size_t s = 0; s < enough->arrivals.size(); ++s)
      together.push_back(rate_advice(problem_, enough->arrivals, s));
    say(fmt::format("; easing one limit alone does not help: what would do is simulated at {}",
                    words_of(problem_, enough->choice)));
  }

  std::string hint() {
    if (!refusal_.remedies.together.empty())
      return "try " + typed_together(refusal_.remedies.together) + " together";
    std::vector<std::string> tries;
    for (const Advice& one : alone()) tries.push_back(typed_text(one));
    if (!tries.empty()) return "try " + join(tries, ", or ");
    return std::string("serve fewer requests, or a lighter network") +
           (problem_.concurrent() ? ", or train in smaller minibatches" : "");
  }

  ArrivalPlanner& planner_;
  const Problem& problem_;
  double power_w_;
  std::optional<NearestChoice> nearest_;
  Refusal refusal_;
};

}  // namespace

Refusal no_arrival_plan(ArrivalPlanner& planner, const Problem& problem, double percentile,
                        double power_w) {
  return Miss(planner, problem, power_w).refusal(percentile);
}

}  // namespace flyball
