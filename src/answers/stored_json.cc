#include "answers/stored_json.h"

#include <vector>

#include "answers/json_version.h"
#include "base/text.h"

namespace flyball {

using Json = nlohmann::ordered_json;

Json stored_document(const std::string& text) {
  Json document = Json::parse(text, nullptr, false);
  return document.is_object() ? document : Json::object();
}

Json stored_answer(const StoredRun& run) {
  return upgraded(stored_document(run.answer));
}

std::string text_of(const Json& holder, const char* key) {
  const Json value = value_at(holder, key);
  return value.is_string() ? value.get<std::string>() : "";
}

Json list_of(const Json& holder, const char* key) {
  Json value = value_at(holder, key);
  return value.is_array() ? value : Json::array();
}

Json value_at(const Json& holder, const char* key) {
  return holder.is_object() && holder.contains(key) ? holder[key] : Json(nullptr);
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

std::string choice_text(const Json& roles) {
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

}  // namespace flyball
