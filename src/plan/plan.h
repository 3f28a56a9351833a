// The answer to one problem as advice: what to do, what it leaves of each limit, what else was on
// the front, and what a little more of a limit would buy.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plan/infeasible.h"
#include "search/strategy.h"

namespace flyball {

/// A trial as it was made.
struct Step {
  Ask ask;
  Reading reading;
  Measurement measurement;
  bool from_store = false;
  bool verification = false;        ///< the answer, measured once more
  std::optional<int64_t> run = {};  ///< of the store, that made it; nothing: it belongs to none
};

/// What a choice uses of one limit.
struct Margin {
  Constraint constraint = Constraint::none;
  size_t role = 0;
  std::string workload;  ///< whose; "" for power
  double used = 0, limit = 0;
  std::string unit;
  bool binds = false;  ///< without this limit a better choice would be open
};

/// A choice and how its readings are known: measured, tabled, or resting on predictions.
struct Option {
  Choice choice;
  double power_w = not_measured;
  Provenance provenance = Provenance::predicted;
};

/// What easing one limit would buy: its shadow price, for a step of the limit that people know.
struct ShadowPrice {
  std::string what;     ///< "1 W more power", "10 ms more latency"; more where that buys nothing
  Option option;        ///< the best choice then
  double gain_pct = 0;  ///< improvement of the objective, percent; 0: nothing
};

struct Plan {
  std::shared_ptr<const Problem> problem;
  std::optional<Answer> answer;
  Error why_not;  ///< when there is no answer
  /// What would do, by the flags of `flyball plan`; empty where there is an answer, or no such
  /// flag.
  std::vector<Advice> easing;
  std::vector<Step> steps;
  std::vector<Margin> margins;
  std::vector<Option> front;  ///< power against the objective, the power budget left aside
  /// Against the best known or predicted within the limits.
  std::vector<ShadowPrice> shadow_prices;
  /// What is predicted, but not measured, to be better than the answer within the limits.
  std::optional<ShadowPrice> unmeasured;
  double power_w = not_measured;                 ///< of the answer
  Provenance provenance = Provenance::measured;  ///< of what was profiled
  std::string stopped;                           ///< why the search ended
  size_t profiles = 0, trials = 0;
  std::optional<int64_t> run;  ///< its number in the store
  std::vector<std::string> notes;
};

/// Draws up the plan of a search that has ended. `steps`: the trials it was told of, in their
/// order. What was not measured is taken from the strategy's predictor where it has one, and
/// marked.
Plan draw_plan(const Strategy& strategy, std::vector<Step> steps);

/// How `flyball plan` takes a limit.
LimitFlag plan_flag(Constraint constraint, size_t role);

/// Unit of objective_value(), as `value_unit` of the JSON document.
std::string objective_unit(const Problem& problem);
/// The plan as text for people, ending with a line end; why there is no answer is left to the
/// caller. `verbose`: with every trial and every remark.
std::string format_plan(const Plan& plan, bool verbose = false);
/// `infeasible` of docs/json.md.
nlohmann::ordered_json infeasible_json(const Error& why_not, const std::vector<Advice>& easing);
/// The keys of docs/json.md, `problem` aside.
nlohmann::ordered_json to_json(const Plan& plan);

/// What the choice uses of each limit that is set.
std::vector<Margin> margins_of(const Problem& problem, const Readings& readings,
                               std::span<const size_t> choice);

}  // namespace flyball
