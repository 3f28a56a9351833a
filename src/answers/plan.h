// The answer to one problem as advice: what to do, what it leaves of each limit, what else was on
// the front, and what a little more of a limit would buy.
#pragma once

#include <string>
#include <vector>

#include "answers/answer.h"
#include "base/json_fwd.h"
#include "search/strategy.h"

namespace flyball {

/// A choice and how its readings are known: measured, tabled, or resting on predictions.
struct Option {
  Choice choice;
  std::vector<double> minibatch_ms;  ///< by role
  double power_w = not_measured;
  Provenance provenance = Provenance::predicted;
};

/// What relaxation of one limit would buy: its shadow price, for a step of the limit that people
/// know.
struct ShadowPrice {
  std::string what;     ///< "1 W more power", "10 ms more latency"; more where that buys nothing
  Option option;        ///< the best choice then
  double gain_pct = 0;  ///< improvement of the objective, percent; 0: nothing; NaN: not known
  /// How the gain is known: that there is none as all configurations are (Plan::coverage).
  std::optional<Provenance> provenance = {};
};

struct Plan : SearchAnswer {
  std::shared_ptr<const Problem> problem;
  std::optional<Answer> answer;
  Option chosen;                ///< the answer
  std::optional<Option> usual;  ///< what one gets without tuning, where that was measured
  std::vector<Margin> margins;
  /// How all configurations are known: as what was profiled, where every one was tried; predicted,
  /// where a predictor looked at the others; nothing, where some are not known at all.
  std::optional<Provenance> coverage;
  /// Power against the objective, the power budget left aside, without what trains nothing.
  std::vector<Option> front;
  /// Against the best known or predicted within the limits.
  std::vector<ShadowPrice> shadow_prices;
  /// What is predicted, but not measured, to be better than the answer within the limits, where
  /// measuring it is expected to gain as much as a search goes on for.
  std::optional<ShadowPrice> unmeasured;
  Provenance provenance = Provenance::measured;  ///< of what was profiled
};

/// Draws up the plan of a search that has ended; `found`: what came of it, its trials in their
/// order. What was not measured is taken from the strategy's predictor where it has one, and
/// marked.
Plan draw_plan(const Strategy& strategy, SearchAnswer found);

/// Configurations of all roles.
size_t configurations_of(const Problem& problem);
/// Is training to be made the most of, and is there none?
bool trains_nothing(const Problem& problem, const Outcome& outcome);
/// Does it leave a training beside a service no time?
bool leaves_no_training(const Problem& problem, const Outcome& outcome);
/// "set the mode; …": a choice in words. Of a training that it leaves no time it says nothing.
std::string choice_text(const Problem& problem, std::span<const size_t> choice,
                        const Outcome& outcome);
/// "82.252 ms per minibatch": what a choice amounts to. `whole_runs`: its readings are of whole
/// runs.
std::string objective_text(const Problem& problem, const Outcome& outcome, bool whole_runs = false);
/// Unit of objective_value(), as `value_unit` of the JSON document.
std::string objective_unit(const Problem& problem);
/// The plan as text for people, ending with a line end; why there is no answer is left to the
/// caller. `verbose`: with every trial and every remark.
std::string format_plan(const Plan& plan, bool verbose = false);
/// Two services are weighed by the share of their latency budgets, where they have any.
bool counts_share(const Problem& problem);
/// The keys with which every plan begins: asked_json(), the kind, the objective, what is asked.
Json question_json(const SearchAnswer& answer, const Problem& problem);
/// A choice of the documents: its keys are those of docs/json.md.
Json choice_json(const Problem& problem, const Option& option);
/// The keys of docs/json.md.
Json to_json(const Plan& plan);

}  // namespace flyball
