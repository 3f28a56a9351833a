#include "answers/stored_json.h"

#include <vector>

#include "answers/json_version.h"
#include "base/json.h"
#include "base/text.h"

namespace flyball {

namespace {

// "cpu_cores 4, gpu_mhz 816; mobilenet batch_size 8": the mode once, then what each role runs with.
std::string words_of(const Json& roles) {
  std::vector<std::string> parts;
  std::string last_mode;
  for (const Json& role : roles) {
    const Settings all = settings_of(role["config"]);
    const std::string mode = describe(of_scope(all, Scope::board));
    const Settings run = of_scope(all, Scope::run);
    if (!mode.empty() && mode != last_mode)
      parts.push_back(parts.empty() ? mode : text_of(role, "workload") + " in " + mode);
    last_mode = mode;
    if (!run.empty()) parts.push_back(text_of(role, "workload") + " " + describe(run));
  }
  return parts.empty() ? "this machine as it is" : join(parts, "; ");
}

void add_text(Json& choice) {
  if (!choice.contains("text"))
    choice["text"] = words_of(choice[choice.contains("roles") ? "roles" : "choice"]);
}

}  // namespace

Json stored_document(const std::string& text) {
  Json document = Json::parse(text, nullptr, false);
  return document.is_object() ? document : Json::object();
}

Json stored_answer(const StoredRun& run) {
  Json answer = upgraded(stored_document(run.answer));
  each_choice(answer, add_text);
  return answer;
}

Settings settings_of(const Json& config) {
  Settings settings;
  for (const auto& [name, value] : config.items())
    if (value.is_number()) settings[name] = value.get<double>();
  return settings;
}

Settings of_scope(const Settings& settings, Scope scope) {
  Settings some;
  for (const auto& [name, value] : settings)
    if (named_axis(name).scope == scope) some[name] = value;
  return some;
}

void each_choice(Json& plan, const std::function<void(Json&)>& visit) {
  std::vector<Json*> holders;
  for (const char* key : {"choice", "answer", "default", "unmeasured"})
    if (plan.contains(key)) holders.push_back(&plan[key]);
  for (const char* list : {"would_buy", "front", "windows"})
    if (plan.contains(list))
      for (Json& one : plan[list]) holders.push_back(&one);
  for (Json* holder : holders)
    if (holder->contains("choice") && (*holder)["choice"].is_object())
      visit((*holder)["choice"]);
    else if (holder->contains("choice") || holder->contains("roles"))
      visit(*holder);
}

}  // namespace flyball
