#include "answers/json_version.h"

#include <initializer_list>

#include "answers/answer.h"
#include "answers/stored_json.h"
#include "base/json.h"

namespace flyball {
namespace {

int asked_version = json_schema;

bool is_plan(const Json& json) {
  return json.contains("problem") && (json.contains("limits") || json.contains("windows"));
}
bool is_tune(const Json& json) {
  return json.contains("per") && json.contains("profiled") && json.contains("default");
}

void erase(Json& json, std::initializer_list<const char*> keys) {
  for (const char* key : keys) json.erase(key);
}

// Trials did not say their intervals, how they came to be, and in words what makes them doubtful.
// Answers did not say the presets of the board.
void forget_what_all_say(Json& json) {
  json.erase("presets");
  if (json.contains("profiled"))
    for (Json& trial : json["profiled"])
      erase(trial, {"minibatch_ms_90", "power_w_90", "doubts", "origin", "span", "service"});
}

Json tune_of_1(Json json) {
  json["request"]["asked"] = json["asked"];
  json["request"].erase("settings");
  if (json.contains("oracle")) json["oracle"].erase("text");
  erase(json, {"asked", "run", "axes", "measured", "held_out"});
  if (json["default"].is_object()) json["default"].erase("figures");
  forget_what_all_say(json);
  for (Json& trial : json["profiled"]) trial.erase("workload");
  return json;
}

// Choices did not say their times, and not in words what is set.
void forget_times(Json& choice) {
  erase(choice, {"text", "minibatch_ms"});
  if (choice.contains("roles"))
    for (Json& role : choice["roles"]) role.erase("minibatch_ms");
}

// Purchases did not say how their gain is known, which was always a number.
void forget_unknown_gains(Json& json) {
  if (!json.contains("would_buy")) return;
  Json known = Json::array();
  for (Json& price : json["would_buy"]) {
    if (price["gain_pct"].is_null()) continue;
    price.erase("provenance");
    known.push_back(std::move(price));
  }
  json["would_buy"] = std::move(known);
}

Json plan_of_1(Json json) {
  if (json["infeasible"].is_object())
    json["error"] = {{"code", json["infeasible"].value("code", code_name(Code::infeasible))},
                     {"message", json["infeasible"]["reason"]},
                     {"hint", json["infeasible"]["hint"]}};
  const bool dynamic = json.contains("windows");
  forget_what_all_say(json);
  erase(json, {"request", "device", "choice", "default", "comparison", "established", "effort",
               "reused", "set_aside", "started_utc", "seconds", "own_seconds"});
  forget_unknown_gains(json);
  each_choice(json, forget_times);
  if (dynamic) erase(json, {"asked", "profiled", "trials", "stopped"});
  if (!dynamic) {
    for (Json& trial : json["profiled"])
      if (trial["failure"].is_null()) trial["failure"] = "";
  } else if (json.contains("error")) {
    erase(json, {"objective", "switches", "switch_j", "value", "value_unit", "static_value",
                 "profiles", "notes"});
  } else {
    json.erase("infeasible");
  }
  return json;
}

// Experiments did not say their epochs, and not what they held fixed and varied.
void forget_epochs(Json& json) {
  erase(json, {"fixed", "varied", "measured_utc", "power_total", "dataset"});
  for (Json& group : json["groups"]) group.erase("epochs");
}

void forget_code(Json& json) {
  if (json.contains("infeasible") && json["infeasible"].is_object())
    json["infeasible"].erase("code");
}

Json downgraded(Json json) {
  if (json.is_object()) json.erase("schema");
  if (is_tune(json)) json = tune_of_1(std::move(json));
  if (is_plan(json)) json = plan_of_1(std::move(json));
  if (json.contains("experiment") && json.contains("groups")) forget_epochs(json);
  forget_code(json);
  return json;
}

}  // namespace

Json in_version(const Json& document, int version) {
  if (version < json_schema) {
    Json old = downgraded(document);
    const auto lower_answer = [](Json& run) {
      if (run.contains("answer") && run["answer"].contains("schema"))
        run["answer"] = downgraded(run["answer"]);
    };
    lower_answer(old);  // of `runs show`, and of `runs list`
    if (old.contains("runs"))
      for (Json& run : old["runs"]) lower_answer(run);
    return old;
  }
  if (document.contains("schema")) return document;
  Json json{{"schema", json_schema}};
  json.update(document);
  return json;
}

void ask_json_version(int version) {
  asked_version = version;
}

Json in_asked_version(const Json& document) {
  return in_version(document, asked_version);
}

Json upgraded(Json answer) {
  if (answer.contains("schema")) return answer;
  if (is_tune(answer) && answer["request"].contains("asked")) {
    answer["asked"] = answer["request"]["asked"];
    answer["request"].erase("asked");
    if (answer.contains("infeasible") && answer["infeasible"].is_object())
      answer["infeasible"]["code"] = code_name(Code::infeasible);
  } else if (is_plan(answer)) {
    if (answer.contains("answer")) answer["choice"] = answer["answer"];
    if (answer.contains("error")) {
      if (answer.contains("infeasible") && answer["infeasible"].is_object())
        answer["infeasible"]["code"] = answer["error"]["code"];
      else
        answer["infeasible"] = {{"code", answer["error"]["code"]},
                                {"reason", answer["error"]["message"]},
                                {"hint", answer["error"]["hint"]},
                                {"easing", Json::array()}};
      answer.erase("error");
    }
    if (answer.contains("profiled"))
      for (Json& trial : answer["profiled"])
        if (trial["failure"] == Json(std::string())) trial["failure"] = nullptr;
  } else {
    return answer;
  }
  return in_version(answer, json_schema);
}

}  // namespace flyball
