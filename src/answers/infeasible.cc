#include "answers/infeasible.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "base/figure.h"
#include "base/json.h"
#include "base/option_name.h"
#include "base/text.h"
#include "problem/choices.h"
#include "problem/training_beside.h"
#include "problem/typed_limit.h"
#include "search/acquisition.h"

namespace flyball {
namespace {

constexpr double sure = 0.95;    // chance at which a predicted limit is said
constexpr double nearer = 0.02;  // by less a predicted limit is not worth more than a measured one
constexpr double farthest = 8;   // times a limit: beyond that predictions are not asked
constexpr double slower_step = 0.97;          // of the arrival rate, from one guess to the next
constexpr size_t most_rate_choices = 50'000;  // that are looked at for each rate; of more a part,
constexpr size_t rate_choices_of_more = 10'000;  // evenly chosen, of about so many
constexpr int halvings = 12;
constexpr double least_relaxation = 1e-3;  // more than what that many halvings leave open

using Choosing = std::span<const size_t>;

/// What is predicted of the choices that are not measured yet.
class Forecast {
 public:
  /// `trains`: choices that train nothing do not count.
  Forecast(const Strategy& strategy, bool trains)
      : strategy_(strategy), trains_(trains), outlook_(strategy.history(), strategy.options()) {}

  bool knows() const { return outlook_.known(); }
  /// Neither failed nor measured as a whole?
  bool open(Choosing choice) const { return strategy_.history().missing(choice).value_or(0) > 0; }
  /// Its `feasible`: that every limit holds, those on figures of the program's own included.
  AcquisitionValue expected(const Problem& problem, Choosing choice) const {
    return outlook_.expect(problem, choice, unlimited);
  }
  /// May it be the answer? What trains nothing may not where that is asked for.
  bool counts(const AcquisitionValue& expected) const { return !trains_ || expected.loss < 0; }
  /// May it be the answer, and as good as certainly keeps every limit?
  bool is_sure(const Problem& problem, Choosing choice) const {
    const AcquisitionValue told = expected(problem, choice);
    return counts(told) && told.feasible >= sure;
  }

  /// The least budget or latency below `most` that some open choice is sure to keep.
  RelaxedLimit least(const Problem& problem, RelaxedLimit relaxation, double most) const {
    Problem relaxed = problem;
    double& limit = limit_of(relaxed, relaxation.constraint, relaxation.role);
    relaxation.predicted = true;
    relaxation.needed = most;
    for_each_choice(problem, [&](Choosing choice) {
      limit = (1 - nearer) * relaxation.needed;
      if (!open(choice) || !is_sure(relaxed, choice)) return;
      double low = relaxation.limit, high = limit;
      for (int i = 0; i < halvings; ++i) {
        limit = std::sqrt(low * high);
        (is_sure(relaxed, choice) ? high : low) = limit;
      }
      relaxation.needed = high;
      relaxation.choice.assign(choice.begin(), choice.end());
    });
    return relaxation;
  }

  /// The highest arrival rate above `least` that some open choice is sure to sustain.
  RelaxedLimit highest_rate(const Problem& problem, RelaxedLimit relaxation, double least,
                            size_t choices) const {
    const size_t every = choices > most_rate_choices ? choices / rate_choices_of_more : 1;
    Problem slower = problem;
    double& rate = limit_of(slower, relaxation.constraint, relaxation.role);
    relaxation.predicted = true;
    size_t number = 0;
    while (relaxation.choice.empty() && (rate *= slower_step) > (1 + nearer) * least)
      for_each_choice(problem, [&](Choosing choice) {
        if (number++ % every != 0 || !relaxation.choice.empty() || !open(choice) ||
            !is_sure(slower, choice))
          return;
        relaxation.needed = rate;
        relaxation.choice.assign(choice.begin(), choice.end());
      });
    return relaxation;
  }

 private:
  const Strategy& strategy_;
  bool trains_;
  Outlook outlook_;
};

/// Every limit that is set, as it stands.
std::vector<RelaxedLimit> limits_of(const Problem& problem) {
  std::vector<RelaxedLimit> limits;
  Problem asked = problem;
  const auto add = [&](Constraint constraint, size_t role) {
    const double limit = limit_of(asked, constraint, role);
    if (limit != unlimited) limits.push_back({constraint, role, limit, 0, false, {}});
  };
  for (const Constraint c :
       {Constraint::power, Constraint::time, Constraint::energy, Constraint::slowdown})
    add(c, 0);
  for (size_t role = 0; role < problem.roles.size(); ++role) {
    if (!problem.roles[role].serves()) continue;
    add(Constraint::latency, role);
    add(Constraint::arrival_rate, role);
  }
  return limits;
}

/// The nearer of what was measured and what is predicted to do; nothing where neither does.
void relax(const Problem& problem, const std::vector<Relaxation>& measured,
           const Forecast& forecast, RelaxedLimit limit, Infeasibility& why) {
  const auto found = std::ranges::find_if(
      measured, [&](const Relaxation& relaxation) { return same_limit(relaxation, limit); });
  const bool any = found != measured.end();
  const bool rate = limit.constraint == Constraint::arrival_rate;
  RelaxedLimit relaxation = limit;
  if (any) relaxation.needed = found->needed, relaxation.choice = found->choice;
  if (forecast.knows()) {
    const double beyond = any ? found->needed : limit.limit * (rate ? 1 / farthest : farthest);
    RelaxedLimit predicted = rate ? forecast.highest_rate(problem, limit, beyond, why.choices)
                                  : forecast.least(problem, limit, beyond);
    // What is predicted to do within the limit as it is asks for more profiles, not for another
    // limit.
    const double apart = rate ? limit.limit / predicted.needed : predicted.needed / limit.limit;
    if (!predicted.choice.empty() && apart > 1 + least_relaxation)
      relaxation = std::move(predicted);
  }
  if (!relaxation.choice.empty()) why.alone.push_back(std::move(relaxation));
}

/// Each missed limit as the choice needs it, where that is all that it misses.
std::vector<RelaxedLimit> relaxed_together(const Problem& problem, const Readings& readings,
                                           Choosing choice, const std::vector<Margin>& missed,
                                           bool trains) {
  Problem relaxed = problem;
  std::vector<RelaxedLimit> all;
  const auto relax = [&](const Margin& margin, double limit, double needed) {
    limit_of(relaxed, margin.constraint, margin.role) = needed;
    all.push_back(
        {margin.constraint, margin.role, limit, needed, false, {choice.begin(), choice.end()}});
  };
  // Services share the time: all rates that are too high fall by one factor.
  const double load = serving_load(problem, readings, choice);
  for (const Margin& margin : missed)
    if (margin.constraint == Constraint::arrival_rate && load > 1)
      relax(margin, margin.used, rounded(margin.used / load, 4, false));
  // At lower rates batches gather more slowly: latencies are those at the rates that are left.
  for (const Margin& margin : margins_of(relaxed, readings, choice))
    if (margin.constraint != Constraint::arrival_rate && margin.missed())
      relax(margin, margin.limit, margin.used);
  const Outcome outcome = outcome_of(relaxed, readings, choice);
  if (!outcome.feasible || (trains && !(outcome.minibatches > 0))) all.clear();
  std::ranges::stable_sort(all, {}, &RelaxedLimit::constraint);
  return all;
}

/// In the flag's unit.
double typed(const RelaxedLimit& relaxation, const LimitFlag& flag,
             const std::function<bool(double)>& does) {
  const bool up = relaxation.constraint != Constraint::arrival_rate;
  return typed_limit(flag.typed(relaxation.needed), relaxation.predicted ? 3 : 4, up,
                     [&](double value) { return does(flag.limit(value)); });
}

/// Durations and shares are converted on their way back from the command line: a hair less.
double hair_of(const LimitFlag& flag) {
  return flag.scale == 1 && flag.unit != "ms" ? 0 : 1e-12;
}

std::string amount(double value, const std::string& unit) {
  return fmt::format("{}{}", as_typed(value), unit == "requests/s" ? "" : unit);
}

/// The least time (per minibatch or sample) of what was measured; not known of other objectives.
std::optional<double> fastest(const Problem& problem, const Readings& readings) {
  if (problem.objective != Objective::time || problem.roles.size() != 1) return {};
  double least = unlimited;
  for (size_t i = 0; i < readings[0].size(); ++i)
    if (readings[0][i].minibatch_ms > 0)
      least = std::min(least, outcome_of(problem, readings, std::array{i}).loss);
  return least < unlimited ? std::optional(least) : std::nullopt;
}

/// Has each of two services a limit of its own?
bool of_each(const Problem& problem, Constraint constraint) {
  return problem.two_services() &&
         (constraint == Constraint::latency || constraint == Constraint::arrival_rate);
}

/// Whose limit it is, where two services have one each.
std::string whose_of(const Problem& problem, const RelaxedLimit& relaxation) {
  return of_each(problem, relaxation.constraint) ? role_name(problem, relaxation.role) : "";
}

/// One option's value for both services, those of them relaxed that are; "" where it has one value.
std::string whole_value(const Problem& problem, Constraint constraint,
                        std::span<const RelaxedLimit> relaxed, const FlagOf& flag_of) {
  if (!of_each(problem, constraint)) return "";
  Problem asked = problem;
  std::vector<std::string> values;
  for (const RelaxedLimit& one : relaxed)
    if (one.constraint == constraint) limit_of(asked, constraint, one.role) = one.needed;
  for (size_t role = 0; role < problem.roles.size(); ++role) {
    const LimitFlag flag = flag_of(constraint, role);
    const double limit = limit_of(asked, constraint, role);
    // Windows are a file, and a program's options take lists of their own.
    if (!flag.flag.starts_with("--") || flag.flag == "--windows" || limit == unlimited) return "";
    values.push_back(amount(flag.typed(limit), flag.unit));
  }
  return join(values, " ");
}

/// "--power-budget 25.2W (predicted)"
std::string advice_text(const Advice& one) {
  const std::string price =
      one.slowdown >= 2 ? fmt::format(", {} times as slow as the fastest", number(one.slowdown))
      : one.trains      ? ""
                        : ", with no training";
  return fmt::format("{} ({}{})", typed_text(one), provenance_name(one.provenance), price);
}

/// A missed limit by its option: "net epoch time 16.1 of 12 s".
Margin in_typed_unit(Margin margin, const FlagOf& flag_of) {
  const LimitFlag flag = flag_of(margin.constraint, margin.role);
  const bool as_it_is =
      margin.constraint == Constraint::arrival_rate || margin.constraint == Constraint::slowdown;
  if (as_it_is || flag.scale == 1) return margin;
  margin.used /= flag.scale;
  margin.limit /= flag.scale;
  margin.unit = flag.unit;
  margin.span = flag.span;
  return margin;
}

std::string binding_text(const Problem& problem, const RelaxedLimit& relaxation,
                         const FlagOf& flag_of) {
  const std::string whose = whose_of(problem, relaxation);
  const LimitFlag flag = flag_of(relaxation.constraint, relaxation.role);
  return fmt::format("{}{}{} of {} {}", whose.empty() ? "the " : whose + "'s ",
                     constraint_name(relaxation.constraint),
                     relaxation.constraint == Constraint::arrival_rate ? ""
                     : relaxation.constraint == Constraint::slowdown   ? " limit"
                                                                       : " budget",
                     as_typed(flag.typed(relaxation.limit)), flag.unit);
}

Json advice_json(const std::vector<Advice>& advice) {
  Json all = Json::array();
  for (const Advice& one : advice) {
    all.push_back({{"flag", one.flag},
                   {"value", one.value},
                   {"unit", one.unit},
                   {"provenance", provenance_name(one.provenance)}});
    if (!one.figure.empty()) all.back()["figure"] = one.figure;
    if (!one.workload.empty()) all.back()["workload"] = one.workload;
    if (one.slowdown > 0) all.back()["slowdown"] = one.slowdown;
    if (!one.trains) all.back()["trains"] = false;
  }
  return all;
}

}  // namespace

std::string typed_text(const Advice& one) {
  if (!one.whole.empty()) return option_text(one.flag, one.whole);
  const std::string whose = one.workload.empty() ? "" : " for " + one.workload;
  if (one.flag == "--windows")
    return fmt::format("{} requests/s in --windows{}", as_typed(one.value), whose);
  const std::string value = amount(one.value, one.unit == "profiles" ? "" : one.unit);
  if (!one.figure.empty()) return figure_option_text(one.flag, one.figure, value);
  return option_text(one.flag, value) + whose;
}

std::string typed_together(const std::vector<Advice>& all) {
  std::vector<std::string> parts;
  for (const Advice& one : all) {
    std::string text = typed_text(one);
    if (!std::ranges::count(parts, text)) parts.push_back(std::move(text));
  }
  return join(parts, " and ");
}

namespace {

Infeasibility explain(const Strategy& strategy, bool trains) {
  const Problem& problem = strategy.problem();
  const History& history = strategy.history();
  Infeasibility why;
  if (const auto& nearest = history.best()) {
    for (Margin& margin : margins_of(problem, history.readings(), nearest->candidates))
      if (margin.missed()) why.missed.push_back(std::move(margin));
    why.together =
        relaxed_together(problem, history.readings(), nearest->candidates, why.missed, trains);
  }
  const Forecast forecast(strategy, trains);
  double best_chance = 0;
  for_each_choice(problem, [&](Choosing choice) {
    ++why.choices;
    why.measured += history.is_measured(choice);
    if (!forecast.knows() || !forecast.open(choice)) return;
    const AcquisitionValue expected = forecast.expected(problem, choice);
    why.predicted += expected.feasible >= 0.5;
    if (forecast.counts(expected)) best_chance = std::max(best_chance, expected.feasible);
  });
  const size_t asked = strategy.options().profile_budget;
  if (best_chance >= sure && history.profiles() >= asked) why.profiles = 2 * asked;
  const auto measured = trains ? training_relaxations(problem, history.readings())
                               : relaxations(problem, history.readings());
  for (const RelaxedLimit& limit : limits_of(problem))
    relax(problem, measured, forecast, limit, why);
  return why;
}

/// Is there a limit that does alone what several together do?
bool one_alone_does(const Infeasibility& why) {
  const bool trains = !why.together.empty() && why.together.front().trains;
  return std::ranges::any_of(
      why.alone, [trains](const RelaxedLimit& limit) { return limit.trains || !trains; });
}

}  // namespace

Infeasibility explain_infeasible(const Strategy& strategy) {
  if (!wants_training(strategy.problem())) return explain(strategy, false);
  Infeasibility why = explain(strategy, true);
  if (why.profiles > 0) return why;
  Infeasibility serves = explain(strategy, false);
  serves.trains = false;
  for (auto* limits : {&serves.alone, &serves.together})
    for (RelaxedLimit& limit : *limits) limit.trains = false;
  if (why.alone.empty() && why.together.empty()) return serves;
  why.profiles = serves.profiles, why.trains = false;
  for (RelaxedLimit& limit : serves.alone) {
    const auto same = [&](const RelaxedLimit& one) { return same_limit(one, limit); };
    if (std::ranges::none_of(why.alone, same)) why.alone.push_back(std::move(limit));
  }
  return why;
}

std::vector<Advice> advice_of(const Strategy& strategy, const Infeasibility& why,
                              const FlagOf& flag_of, Provenance known) {
  const Problem& problem = strategy.problem();
  const Readings readings = strategy.history().readings();
  const auto least = fastest(problem, readings);
  std::vector<Advice> all;
  if (why.profiles > 0) {
    all.push_back({flag_of(Constraint::none, 0).flag, static_cast<double>(why.profiles), "profiles",
                   Provenance::predicted});
    all.back().trains = why.trains;
  }
  for (const RelaxedLimit& relaxation : why.alone) {
    const LimitFlag flag = flag_of(relaxation.constraint, relaxation.role);
    const bool up = relaxation.constraint != Constraint::arrival_rate;
    Problem relaxed = problem;
    const double hair = hair_of(flag);
    const auto does = [&](double limit) {
      limit_of(relaxed, relaxation.constraint, relaxation.role) = up ? limit * (1 - hair) : limit;
      return relaxation.predicted || outcome_of(relaxed, readings, relaxation.choice).feasible;
    };
    all.push_back({flag.flag, typed(relaxation, flag, does), flag.unit,
                   relaxation.predicted ? Provenance::predicted : known,
                   whose_of(problem, relaxation)});
    all.back().figure = flag.figure;
    all.back().trains = relaxation.trains;
    RelaxedLimit rounded_one = relaxation;
    rounded_one.needed = flag.limit(all.back().value);
    all.back().whole = whole_value(problem, relaxation.constraint, {&rounded_one, 1}, flag_of);
    if (least && !relaxation.predicted)
      all.back().slowdown = outcome_of(problem, readings, relaxation.choice).loss / *least;
  }
  return all;
}

std::vector<Advice> together_of(const Problem& problem, const Infeasibility& why,
                                const FlagOf& flag_of, Provenance known) {
  std::vector<RelaxedLimit> rounded_ones = why.together;
  std::vector<Advice> all;
  for (RelaxedLimit& relaxation : rounded_ones) {
    const LimitFlag flag = flag_of(relaxation.constraint, relaxation.role);
    const bool up = relaxation.constraint != Constraint::arrival_rate;
    const auto does = [&](double limit) {
      return up ? limit * (1 - hair_of(flag)) >= relaxation.needed : limit <= relaxation.needed;
    };
    all.push_back({flag.flag, typed(relaxation, flag, does), flag.unit, known,
                   whose_of(problem, relaxation)});
    all.back().figure = flag.figure;
    all.back().trains = relaxation.trains;
    relaxation.needed = flag.limit(all.back().value);
  }
  for (size_t i = 0; i < all.size(); ++i)
    all[i].whole = whole_value(problem, rounded_ones[i].constraint, rounded_ones, flag_of);
  return all;
}

Error infeasible_error(const Problem& problem, const Infeasibility& why, const Remedies& remedies,
                       const FlagOf& flag_of) {
  Error error{Code::infeasible, "", ""};
  error.message =
      why.measured >= why.choices
          ? fmt::format("none of all {} meets the limits", why.choices)
          : fmt::format("none of the {} measured meets the limits; {} of {} {} predicted to",
                        why.measured, why.predicted, why.choices,
                        why.predicted == 1 ? "is" : "are");
  // Limits on a program's own figures are not relaxed.
  if (limits_of(problem).empty()) {
    error.message += "; each misses a limit on the program's own figures";
    error.hint = "ease it (--at-most, --at-least)";
    if (why.measured < why.choices) error.hint += ", or allow more --profiles";
    return error;
  }
  std::vector<std::string> binding, tries;
  for (const RelaxedLimit& relaxation : why.alone)
    binding.push_back(binding_text(problem, relaxation, flag_of));
  for (const Advice& one : remedies.alone) tries.push_back(advice_text(one));
  if (!binding.empty()) {
    error.message += "; what binds: " + join(binding, ", or ");
  } else {
    std::vector<Margin> missed;
    for (const Margin& margin : why.missed) missed.push_back(in_typed_unit(margin, flag_of));
    error.message += "; easing one limit alone does not help" +
                     (missed.empty() ? "" : ": the nearest comes to " + missed_text(missed));
  }
  if (!remedies.together.empty())
    tries.push_back(typed_together(remedies.together) + " together" +
                    (remedies.together.front().trains ? "" : ", with no training"));
  error.hint = tries.empty() ? "ease several limits together" : "try " + join(tries, ", or ");
  return error;
}

Refusal refusal_of(const Strategy& strategy, Error why_not, const FlagOf& flag_of,
                   Provenance known) {
  if (why_not.code != Code::infeasible || !strategy.history().best()) return {std::move(why_not)};
  const Infeasibility why = explain_infeasible(strategy);
  Remedies remedies{advice_of(strategy, why, flag_of, known), {}};
  if (!one_alone_does(why))
    remedies.together = together_of(strategy.problem(), why, flag_of, known);
  Error error = infeasible_error(strategy.problem(), why, remedies, flag_of);
  return {std::move(error), std::move(remedies)};
}

Json infeasible_json(const Error& why_not, const Remedies& remedies) {
  return {{"code", code_name(why_not.code)},
          {"reason", why_not.message},
          {"hint", why_not.hint},
          {"easing", advice_json(remedies.alone)},
          {"together", advice_json(remedies.together)}};
}

}  // namespace flyball
