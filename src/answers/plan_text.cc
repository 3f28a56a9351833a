// A plan for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/comparison.h"
#include "answers/notes.h"
#include "answers/plan.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/text.h"
#include "search/registry.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

/// What time and energy are of: of both minibatches, where two are served.
const char* counted(const Problem& problem) {
  if (problem.per_sample) return "sample";
  const bool serves = problem.roles[0].serves();
  if (serves && problem.objective == Objective::energy) return "request";
  return serves && problem.roles.size() == 2 ? "minibatch of each" : "minibatch";
}

Trial trial_of(const Problem& problem, size_t role, size_t candidate) {
  const Role& asked = problem.roles[role];
  return problem.candidates->space(role).trial(candidate, asked.workload, asked.phase);
}

std::string mode_text(const Problem& problem, size_t role, size_t candidate) {
  const Settings mode = trial_of(problem, role, candidate).mode.values;
  return mode.empty() ? "this machine as it is" : describe(mode);
}

std::string choice_text(const Problem& problem, const Choice& choice) {
  return flyball::choice_text(problem, choice.candidates, choice.outcome);
}

/// When a service serves what has come.
std::string batches_text(const Plan& plan, size_t role) {
  const double batch = plan.problem->candidates->batch(role, plan.answer->choice[role]);
  const std::string served = role_name(*plan.problem, role);
  return batch == 1 ? fmt::format("  {}: serve each request as it arrives\n", served)
                    : fmt::format(
                          "  {}: collect {:g} requests (the first waits {} ms), then serve them "
                          "in one minibatch\n",
                          served, batch, number(plan.problem->wait_ms(role, batch), 4));
}

/// How the window is spent, for a person who sets it up.
std::string schedule_text(const Plan& plan) {
  const Problem& problem = *plan.problem;
  std::string text;
  const bool no_training = leaves_no_training(problem, plan.answer->outcome);
  for (size_t role = 0; role < problem.roles.size(); ++role)
    if (problem.roles[role].serves() && (!problem.concurrent() || no_training))
      text += batches_text(plan, role);
  if (no_training && !trains_nothing(problem, plan.answer->outcome))  // else that is told below
    text +=
        fmt::format("  no minibatch of {} fits between two batches\n", problem.roles[0].workload);
  if (no_training || !problem.concurrent() || problem.objective == Objective::power) return text;
  const double batch = problem.candidates->batch(1, plan.answer->choice[1]);
  const double n = plan.answer->outcome.minibatches;
  return fmt::format(
      "  every {} ms: {:.0f} training minibatch{} while {:g} request{}, then serve them\n",
      number(problem.window_ms(1, batch), 4), n, n == 1 ? "" : "es", batch,
      batch == 1 ? " comes" : "s gather");
}

std::string limits_text(const Plan& plan) {
  std::string text;
  for (const Margin& margin : plan.margins)
    text += "  " + margin_text(margin) + (margin.binds ? "  (binds)\n" : "\n");
  return text.empty() ? "" : "limits\n" + text;
}

std::string percent(double value) {
  return number(value, 2);
}

/// Of a limit whose relaxation gains nothing, as far as that is known.
std::string no_gain_text(const ShadowPrice& price) {
  if (!price.provenance) return fmt::format("what {} would buy is not known", price.what);
  return price.provenance == Provenance::predicted
             ? fmt::format("no gain is predicted from {}", price.what)
             : fmt::format("{} would buy nothing", price.what);
}

std::string shadow_prices_text(const Plan& plan) {
  std::string text;
  for (const ShadowPrice& price : plan.shadow_prices) {
    if (!(price.gain_pct > 0)) {
      text += fmt::format("  {}\n", no_gain_text(price));
      continue;
    }
    // From nothing there is no percentage.
    const bool from_nothing = objective_value(*plan.problem, plan.answer->outcome) == 0;
    const std::string gain = from_nothing ? "" : percent(price.gain_pct) + " %: ";
    text += fmt::format("  {} would buy {}{} at {} ({})\n", price.what, gain,
                        objective_text(*plan.problem, price.option.choice.outcome),
                        choice_text(*plan.problem, price.option.choice),
                        price.option.provenance == Provenance::predicted
                            ? "predicted, not measured"
                            : provenance_name(price.option.provenance));
  }
  if (plan.unmeasured)
    text += fmt::format(
        "  more profiles might find {} % within these limits: {} at {} (predicted, "
        "not measured)\n",
        percent(plan.unmeasured->gain_pct),
        objective_text(*plan.problem, plan.unmeasured->option.choice.outcome),
        choice_text(*plan.problem, plan.unmeasured->option.choice));
  return text;
}

/// Powers below each other, each of which may be typed as a budget.
std::string hundredths(double power_w) {
  if (!(power_w > 0)) return "?";
  const int whole = 1 + static_cast<int>(std::floor(std::log10(power_w)));
  return fmt::format("{:.2f}", rounded(power_w, whole + 2, true));
}

std::string front_text(const Plan& plan) {
  // Where nothing tells power there are none at others.
  if (std::ranges::none_of(plan.front, [](const Option& one) { return one.power_w > 0; }))
    return "";
  std::string text;
  for (const Option& option : plan.front)
    text += fmt::format("  {:>7} W  {}: {}\n", hundredths(option.power_w),
                        objective_text(*plan.problem, option.choice.outcome),
                        choice_text(*plan.problem, option.choice));
  return fmt::format("alternatives at other powers ({})\n", provenance_name(plan.provenance)) +
         text;
}

std::string steps_text(const Plan& plan, bool verbose) {
  if (knows_all(plan.request.strategy))
    return effort_text(plan, configurations_of(*plan.problem)) + "\n";
  const auto known = static_cast<size_t>(std::ranges::count_if(
      plan.profiled, [](const Observation& trial) { return trial.from_store; }));
  const size_t profiles = plan.profiles, trials = plan.profiled.size() - known;
  std::string text = fmt::format("profiled: {} profile{} in {} trial{}{}{}{}\n", profiles,
                                 profiles == 1 ? "" : "s", trials, trials == 1 ? "" : "s",
                                 known > 0 ? fmt::format(" now and {} known before", known) : "",
                                 verbose ? "" : " (--verbose lists them)",
                                 plan.provenance == Provenance::simulated ? ", all simulated" : "");
  if (!verbose) return text;
  for (const Observation& trial : plan.profiled) {
    const std::string doubts = trial_doubts(trial.measurement);
    text += fmt::format("  {} {}: {}{} — {}\n", role_name(*plan.problem, trial.role),
                        describe(trial.settings), reading_text(trial),
                        doubts.empty() ? "" : ", " + doubts, reason_text(trial));
  }
  return text;
}

}  // namespace

bool counts_share(const Problem& problem) {
  return problem.roles.size() == 2 && std::ranges::any_of(problem.roles, [](const Role& r) {
           return r.latency_ms != unlimited;
         });
}

size_t configurations_of(const Problem& problem) {
  size_t all = 0;
  for (size_t role = 0; role < problem.roles.size(); ++role)
    all += problem.candidates->space(role).size();
  return all;
}

std::string objective_text(const Problem& problem, const Outcome& outcome, bool whole_runs) {
  const double value = objective_value(problem, outcome);
  const char* per = whole_runs ? "run" : counted(problem);
  switch (problem.objective) {
    case Objective::time:
      return fmt::format("{} ms per {}", upper_figure(value), per);
    case Objective::energy:
      return fmt::format("{} J per {}", upper_figure(value), per);
    case Objective::power:
      return upper_figure(value) + " W";
    case Objective::latency:
      if (counts_share(problem))
        return fmt::format("{} % of the tighter latency budget", number(100 * value));
      return fmt::format("peak latency {} ms", upper_figure(value));
    case Objective::throughput:
      return fmt::format("{} training {}/s", number(value, 4),
                         problem.per_sample ? "samples" : "minibatches");
    case Objective::minibatches:
      return fmt::format("{} training minibatches per window", number(value, 6));
  }
  return "";
}

std::string choice_text(const Problem& problem, std::span<const size_t> choice,
                        const Outcome& outcome) {
  const size_t first = leaves_no_training(problem, outcome) ? 1 : 0;
  const Candidates& all = *problem.candidates;
  const bool changes_mode = problem.separate_modes && choice.size() == 2 &&
                            all.mode_of(0, choice[0]) != all.mode_of(1, choice[1]);
  std::string text = mode_text(problem, first, choice[first]);
  for (size_t role = first; role < choice.size(); ++role) {
    const Trial trial = trial_of(problem, role, choice[role]);
    if (changes_mode && role > first)
      text += fmt::format("; {} in {}", role_name(problem, role), describe(trial.mode.values));
    if (!trial.job.settings.empty())
      text += fmt::format("; {} {}", role_name(problem, role), describe(trial.job.settings));
  }
  return text;
}

std::string objective_unit(const Problem& problem) {
  const std::string per = problem.per_sample                           ? "/sample"
                          : counted(problem) == std::string("request") ? "/request"
                                                                       : "/minibatch";
  switch (problem.objective) {
    case Objective::time:
      return "ms" + per;
    case Objective::energy:
      return "J" + per;
    case Objective::power:
      return "W";
    case Objective::latency:
      return counts_share(problem) ? "of the tighter latency budget" : "ms";
    case Objective::throughput:
      return problem.per_sample ? "training samples/s" : "training minibatches/s";
    case Objective::minibatches:
      return "training minibatches/window";
  }
  return "";
}

std::string format_plan(const Plan& plan, bool verbose) {
  std::string text;
  if (plan.answer) {
    text += fmt::format("set {}\n",
                        choice_text(*plan.problem, plan.answer->choice, plan.answer->outcome));
    text += schedule_text(plan);
    text += fmt::format("  {}\n", objective_text(*plan.problem, plan.answer->outcome));
    if (const std::string against = compare_with_default(plan); !against.empty())
      text += fmt::format("  {}\n", against);
    text += limits_text(plan) + shadow_prices_text(plan);
  }
  text += front_text(plan) + fmt::format("asked: {}\n", describe(*plan.problem));
  text += steps_text(plan, verbose);
  if (!plan.stopped.empty() && !knows_all(plan.request.strategy))
    text += fmt::format("  stopped: {}\n", plan.stopped);
  return text + notes_text(plan.notes, verbose);
}

Json choice_json(const Problem& problem, const Option& option) {
  Json roles = Json::array();
  for (size_t role = 0; role < option.choice.candidates.size(); ++role) {
    const Trial trial = trial_of(problem, role, option.choice.candidates[role]);
    roles.push_back({{"workload", trial.job.workload},
                     {"phase", phase_name(trial.job.phase)},
                     {"config", all_settings(trial)},
                     {"minibatch_ms", or_null(option.minibatch_ms[role])}});
  }
  return {{"text", choice_text(problem, option.choice)},
          {"value", or_null(objective_value(problem, option.choice.outcome))},
          {"value_unit", objective_unit(problem)},
          {"minibatch_ms", or_null(option.minibatch_ms[0])},
          {"power_w", or_null(option.power_w)},
          {"provenance", provenance_name(option.provenance)},
          {"roles", std::move(roles)}};
}

Json question_json(const SearchAnswer& answer, const Problem& problem) {
  Json out = asked_json(answer);
  out["problem"] = answer.request.kind;
  out["objective"] = objective_name(problem.objective);
  out["asked"] = describe(problem);
  return out;
}

Json to_json(const Plan& plan) {
  const Problem& problem = *plan.problem;
  Json out = question_json(plan, problem);
  out["choice"] = plan.answer ? choice_json(problem, plan.chosen) : Json();
  out["answer"] = out["choice"];  // its name until 0.2
  out["default"] = plan.usual ? choice_json(problem, *plan.usual) : Json();
  out["comparison"] = text_or_null(compare_with_default(plan));
  out["established"] = established_json(plan);
  for (const char* list : {"limits", "would_buy", "front"}) out[list] = Json::array();
  for (const Margin& one : plan.margins) {
    const Margin margin = in_unit(one);
    out["limits"].push_back({{"constraint", constraint_name(margin.constraint)},
                             {"workload", margin.workload},
                             {"used", margin.used},
                             {"limit", margin.limit},
                             {"unit", margin.unit},
                             {"binds", margin.binds}});
  }
  for (const ShadowPrice& price : plan.shadow_prices)
    out["would_buy"].push_back(
        {{"what", price.what},
         {"gain_pct", or_null(price.gain_pct)},
         {"provenance",
          price.provenance ? Json(provenance_name(*price.provenance)) : Json(nullptr)},
         {"choice", choice_json(problem, price.option)}});
  out["unmeasured"] = nullptr;
  if (plan.unmeasured)
    out["unmeasured"] = {{"gain_pct", plan.unmeasured->gain_pct},
                         {"choice", choice_json(problem, plan.unmeasured->option)}};
  for (const Option& option : plan.front) out["front"].push_back(choice_json(problem, option));
  out["modes"] = modes_json(plan.board().modes);
  out.update(search_json(plan, configurations_of(problem)));
  for (size_t i = 0; i < plan.profiled.size(); ++i)
    if (const size_t role = plan.profiled[i].role; problem.roles[role].serves())
      if (const std::string service = role_name(problem, role);
          service != problem.roles[role].workload)
        out["profiled"][i]["service"] = service;
  return out;
}

}  // namespace flyball
