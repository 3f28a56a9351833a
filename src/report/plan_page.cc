#include "report/plan_page.h"

#include <algorithm>

#include "answers/stored_json.h"
#include "base/json.h"
#include "report/apply.h"
#include "report/page.h"
#include "space/measurement.h"

namespace flyball {
namespace {

Settings board_settings(const Json& role) {
  return of_scope(settings_of(role["config"]), Scope::board);
}

// "With batch size 2, loader workers 4."
std::string run_words(const Settings& settings) {
  std::string words = describe(settings);
  std::ranges::replace(words, '_', ' ');
  return "With " + words + ".";
}

// What can be set is one mode: where each role has its own, there are no steps.
Json apply_of(const Json& answer) {
  const Json choice = value_at(answer, "choice");
  const Json together = value_at(answer, "together");
  const bool refused = together.is_object() && !text_of(together, "refused").empty();
  if (!choice.is_object() || refused) return Json::array();
  const Json& roles = choice["roles"];
  Applied applied;
  applied.device = text_of(value_at(answer, "device"), "name");
  applied.live = text_of(choice, "provenance") == provenance_name(Provenance::measured);
  applied.simulated = text_of(choice, "provenance") == provenance_name(Provenance::simulated);
  applied.mode = board_settings(roles[0]);
  for (const Json& role : roles)
    if (board_settings(role) != applied.mode) return Json::array();
  Json steps = apply_steps(applied);
  for (const Json& role : roles) {
    const Settings settings = of_scope(settings_of(role["config"]), Scope::run);
    if (!settings.empty())
      steps.push_back(
          {{"title", "Run " + text_of(role, "workload")}, {"text", run_words(settings)}});
  }
  return steps;
}

}  // namespace

Json plan_page(const Json& answer, const std::string& command) {
  Json page = page_document("plan", command, answer);
  page["apply"] = apply_of(answer);
  return page;
}

}  // namespace flyball
