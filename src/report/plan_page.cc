#include "report/plan_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "answers/stored_json.h"
#include "base/json.h"
#include "base/text.h"
#include "report/apply.h"
#include "report/page.h"
#include "space/measurement.h"

namespace flyball {
namespace {

Settings board_settings(const Json& role) {
  return of_scope(settings_of(role["config"]), Scope::board);
}

// "By `taskset -c 0-3`, with batch size 2, loader workers 4."; "" where nothing is to be said.
std::string run_words(const Settings& settings, const std::string& pinned) {
  std::string words = settings.empty() ? "" : "with " + describe(settings);
  std::ranges::replace(words, '_', ' ');
  if (!pinned.empty())
    words = fmt::format("by `{}`{}{}", trim(pinned), words.empty() ? "" : ", ", words);
  if (words.empty()) return "";
  words.front() = words.front() == 'b' ? 'B' : 'W';
  return words + ".";
}

// What can be set is one mode: where each role has its own, there are no steps.
Json plan_steps(const Json& answer, const std::string& command) {
  const Json choice = value_at(answer, "choice");
  const Json together = value_at(answer, "together");
  const bool refused = together.is_object() && !text_of(together, "refused").empty();
  if (!choice.is_object() || refused) return Json::array();
  const Json& roles = choice["roles"];
  Applied applied;
  applied.device = text_of(value_at(answer, "device"), "name");
  applied.live = text_of(choice, "provenance") == provenance_name(Provenance::measured);
  applied.simulated = text_of(choice, "provenance") == provenance_name(Provenance::simulated);
  applied.command = command;
  applied.mode = board_settings(roles[0]);
  for (const Json& role : roles)
    if (board_settings(role) != applied.mode) return Json::array();
  Json steps = apply_steps(applied);
  for (const Json& role : roles) {
    const std::string words =
        run_words(of_scope(settings_of(role["config"]), Scope::run), pinned_to_cores(applied));
    if (!words.empty())
      steps.push_back({{"title", "Run " + text_of(role, "workload")}, {"text", words}});
  }
  return steps;
}

}  // namespace

Json plan_page(const Json& answer, const std::string& command) {
  Json page = page_document("plan", command, answer);
  page["apply"] = plan_steps(answer, command);
  return page;
}

}  // namespace flyball
