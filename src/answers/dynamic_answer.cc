#include "answers/dynamic_answer.h"

#include "answers/plan.h"
#include "base/json.h"

namespace flyball {

Json to_json(const DynamicAnswer& answer) {
  const Problem& problem = answer.problem;
  const bool planned = !answer.infeasible;
  Json json = question_json(answer, problem);
  json["asked"] = describe(problem) + ", in the busiest window";
  double switch_j = 0;
  json["windows"] = Json::array();
  for (const WindowPlan& window : answer.plan.windows) {
    Json choice = Json::array();
    for (size_t role = 0; role < problem.roles.size(); ++role)
      choice.push_back(
          {{"workload", problem.roles[role].workload},
           {"config", problem.candidates->space(role).settings(window.choice.candidates[role])}});
    json["windows"].push_back(
        {{"rate_hz", window.window.rate_hz},
         {"seconds", window.window.seconds},
         {"text", choice_text(problem, window.choice.candidates, window.choice.outcome)},
         {"choice", std::move(choice)},
         {"value", objective_value(problem, window.choice.outcome)},
         {"provenance", provenance_name(answer.provenance)},
         {"switches", window.switches},
         {"switch_j", or_null(window.switch_j)}});
    switch_j += window.switch_j.value_or(not_measured);
  }
  json["switches"] = answer.plan.switches;
  json["switch_j"] = or_null(switch_j);
  json["value"] = planned ? or_null(answer.plan.value) : Json(nullptr);
  json["value_unit"] = objective_unit(problem);
  json["static_value"] = planned ? or_null(answer.plan.static_value) : Json(nullptr);
  json.update(search_json(answer, configurations_of(problem)));
  return json;
}

}  // namespace flyball
