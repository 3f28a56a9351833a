#include "report/plan_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "answers/stored_json.h"
#include "base/text.h"
#include "report/apply.h"
#include "report/sheet.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

std::string workloads_of(const Json& request) {
  std::vector<std::string> names;
  for (const Json& role : list_of(request, "roles"))
    names.push_back(fmt::format("{} ({})", text_of(role, "workload"),
                                text_of(role, "phase") == "train" ? "training" : "serving"));
  return join(names, " and ");
}

void add_answer(Json& sheet, const Json& answer) {
  const Json& best = answer["choice"];
  sheet["figures"].push_back(sheet_figure(text_of(answer, "objective"), best["value"],
                                          text_of(best, "value_unit"),
                                          text_of(best, "provenance")));
  sheet["figures"].push_back(
      sheet_figure("power", best["power_w"], "W", text_of(best, "provenance")));
}

void add_effort(Json& sheet, const Json& answer) {
  if (!answer.contains("profiles")) return;
  const std::string note = answer.contains("trials")
                               ? fmt::format("in {} trials", answer["trials"].get<size_t>())
                               : std::string();
  sheet["figures"].push_back(sheet_figure("found with", answer["profiles"], "profiles", "", note));
}

void add_limits(Json& sheet, const Json& answer) {
  Json table = sheet_table(
      "What it leaves of each limit", "A limit that binds keeps a better choice out.",
      {{"limit", ""}, {"of", ""}, {"used", ""}, {"at most", ""}, {"unit", ""}, {"", ""}});
  for (const Json& limit : list_of(answer, "limits"))
    table["rows"].push_back(
        sheet_row({limit["constraint"], limit["workload"], limit["used"], limit["limit"],
                   limit["unit"], limit["binds"].get<bool>() ? "binds" : ""},
                  text_of(value_at(answer, "choice"), "provenance")));
  if (!table["rows"].empty()) sheet["tables"].push_back(std::move(table));
}

void add_prices(Json& sheet, const Json& answer) {
  Json table = sheet_table("What a little more would buy", "",
                           {{"easing", ""}, {"gain", "%"}, {"then", ""}, {"at", ""}});
  const auto add = [&](const std::string& what, const Json& price) {
    const Json& choice = price["choice"];
    const bool nothing = price["gain_pct"] == 0;
    table["rows"].push_back(
        sheet_row({what, price["gain_pct"],
                   nothing ? Json(nullptr)
                           : Json(fmt::format("{:.4g} {}", choice["value"].get<double>(),
                                              text_of(choice, "value_unit"))),
                   nothing ? "nothing" : choice_text(choice["roles"])},
                  nothing ? "" : text_of(choice, "provenance")));
  };
  for (const Json& price : list_of(answer, "would_buy")) add(text_of(price, "what"), price);
  if (answer.contains("unmeasured") && answer["unmeasured"].is_object())
    add("more profiles", answer["unmeasured"]);
  if (!table["rows"].empty()) sheet["tables"].push_back(std::move(table));
}

// The alternatives and the answer among them: their power against the objective.
void add_front(Json& sheet, const Json& answer, const Json& request) {
  Json table = sheet_table("Measured alternatives at other powers", "",
                           {{"power", "W"}, {"objective", ""}, {"unit", ""}, {"set", ""}});
  Json points = Json::array();
  const Json best = value_at(answer, "choice");
  const Json chosen = best.is_object() ? best["roles"] : Json();
  std::string unit;
  // The answer may lie on none of them, where another is as good at less power.
  Json options = list_of(answer, "front");
  if (best.is_object() &&
      std::ranges::none_of(options, [&](const Json& option) { return option["roles"] == chosen; }))
    options.push_back(best);
  for (const Json& option : options) {
    const bool is_answer = option["roles"] == chosen;
    const std::string words = choice_text(option["roles"]);
    unit = text_of(option, "value_unit");
    table["rows"].push_back(sheet_row({option["power_w"], option["value"], unit, words},
                                      text_of(option, "provenance"), is_answer));
    if (option["power_w"].is_number() && option["value"].is_number())
      points.push_back({{"x", option["power_w"]},
                        {"y", option["value"]},
                        {"label", words},
                        {"group", text_of(option, "provenance")},
                        {"marked", is_answer}});
  }
  if (table["rows"].empty()) return;
  if (points.size() > 1) {
    Json limits = Json::array();
    if (request.contains("power_budget_w") && request["power_budget_w"].is_number())
      limits.push_back({{"axis", "x"}, {"value", request["power_budget_w"]}, {"label", "budget"}});
    sheet["charts"].push_back({{"title", "Power against the objective"},
                               {"x", {{"label", "power"}, {"unit", "W"}}},
                               {"y", {{"label", text_of(answer, "objective")}, {"unit", unit}}},
                               {"points", points},
                               {"limits", limits}});
  }
  sheet["tables"].push_back(std::move(table));
}

void add_windows(Json& sheet, const Json& answer) {
  Json table = sheet_table("The windows", "",
                           {{"window", ""},
                            {"requests", "1/s"},
                            {"for", "s"},
                            {"objective", ""},
                            {"set", ""},
                            {"", ""}});
  size_t number = 0;
  for (const Json& window : list_of(answer, "windows"))
    table["rows"].push_back(
        sheet_row({++number, window["rate_hz"], window["seconds"], window["value"],
                   choice_text(window["choice"]), window["switches"].get<bool>() ? "switch" : ""},
                  text_of(window, "provenance")));
  if (table["rows"].empty()) return;
  sheet["tables"].push_back(std::move(table));
  sheet["figures"].push_back(
      sheet_figure(text_of(answer, "objective") + " over all windows", answer["value"], ""));
  sheet["figures"].push_back(
      sheet_figure("with one mode throughout", answer["static_value"], "", "",
                   answer["static_value"].is_null() ? "no profiled one serves all windows" : ""));
  sheet["figures"].push_back(sheet_figure("switches", answer["switches"], ""));
}

std::string origin_of(const Json& trial) {
  if (!trial.value("from_store", false)) return "";
  const Json run = value_at(trial, "run");
  return run.is_number_integer() ? fmt::format(" (from run {})", run.get<int64_t>())
                                 : " (from the store)";
}

void add_profiled(Json& sheet, const Json& answer) {
  Json table = sheet_table("What was profiled", "In its order.",
                           {{"#", ""},
                            {"workload", ""},
                            {"set", ""},
                            {"minibatch", "ms"},
                            {"power", "W"},
                            {"why", ""},
                            {"also known", ""}});
  size_t number = 0;
  for (const Json& trial : list_of(answer, "profiled")) {
    const std::string failure = text_of(trial, "failure");
    table["rows"].push_back(sheet_row(
        {++number, text_of(trial, "workload"), describe(settings_of(trial["config"])),
         failure.empty() ? trial["minibatch_ms"] : Json("failed: " + failure), trial["power_w"],
         text_of(trial, "reason") + origin_of(trial), trial_doubts(trial)},
        failure.empty() ? text_of(trial, "provenance") : ""));
  }
  if (!table["rows"].empty()) sheet["tables"].push_back(std::move(table));
}

// What can be set is one mode: where each role has its own, the table says so.
void add_apply(Json& sheet, const StoredRun& run, const Json& best) {
  const Json& roles = best["roles"];
  Applied applied;
  applied.device = run.request.device;
  applied.live = text_of(best, "provenance") == provenance_name(Provenance::measured);
  applied.simulated = text_of(best, "provenance") == provenance_name(Provenance::simulated);
  applied.mode = of_scope(settings_of(roles[0]["config"]), Scope::board);
  for (const Json& role : roles)
    if (of_scope(settings_of(role["config"]), Scope::board) != applied.mode) return;
  sheet["apply"] = apply_steps(applied);
  for (const Json& role : roles) {
    const Settings settings = of_scope(settings_of(role["config"]), Scope::run);
    if (!settings.empty())
      sheet["apply"].push_back(
          {{"title", "Run " + text_of(role, "workload")}, {"text", describe(settings) + "."}});
  }
}

// Is it of a simulated board? One trial tells, a window's choice where no trials are told.
bool is_simulated(const Json& answer) {
  for (const char* list : {"profiled", "windows"})
    for (const Json& one : list_of(answer, list))
      return text_of(one, "provenance") == provenance_name(Provenance::simulated);
  return false;
}

std::string headline(const StoredRun& run, const Json& answer, const std::string& kind) {
  if (kind == "dynamic" && !list_of(answer, "windows").empty())
    return fmt::format("A mode for each of {} windows on {}.", list_of(answer, "windows").size(),
                       run.request.device);
  if (answer.contains("choice") && answer["choice"].is_object())
    return fmt::format("Set {} to {}.", run.request.device, choice_text(answer["choice"]["roles"]));
  return fmt::format("Nothing that was measured on {} meets the limits.", run.request.device);
}

}  // namespace

Json plan_report(const StoredRun& run) {
  const Json answer = stored_answer(run);
  const Json request = stored_document(run.request.request);
  const std::string kind = text_of(answer, "problem");
  const std::string name = fmt::format("plan {}", kind);
  const std::string simulated = is_simulated(answer) ? " (simulated)" : "";
  Json sheet = new_sheet({"plan", fmt::format("{} on {}{}", name, run.request.device, simulated),
                          fmt::format("Plan · {} · {} · {}{}", kind, workloads_of(request),
                                      run.request.device, simulated),
                          headline(run, answer, kind), run.request.command, run.started_utc});
  if (answer.contains("choice") && answer["choice"].is_object()) {
    add_answer(sheet, answer);
    add_apply(sheet, run, answer["choice"]);
  }
  if (const Json why = value_at(answer, "infeasible"); why.is_object())
    for (const char* key : {"reason", "hint"})
      if (const std::string line = text_of(why, key); !line.empty()) sheet["lines"].push_back(line);
  add_windows(sheet, answer);
  add_effort(sheet, answer);
  add_limits(sheet, answer);
  add_prices(sheet, answer);
  add_front(sheet, answer, request);
  add_profiled(sheet, answer);
  if (const std::string stopped = text_of(answer, "stopped"); !stopped.empty())
    add_note(sheet, "note", "search ended: " + stopped);
  for (const Json& note : list_of(answer, "notes")) add_note(sheet, "note", note);
  sheet["facts"].push_back(machine_facts("Machine", run.request.device, run.request.fingerprint,
                                         run.request.conditions.value_or(Conditions())));
  sheet["facts"].push_back(
      fact_list("Run", {{"run", run.id > 0 ? fmt::format("{}", run.id) : "not kept"},
                        {"started", run.started_utc},
                        {"asked", text_of(answer, "asked")},
                        {"strategy", text_of(request, "strategy")},
                        {"predictor", text_of(request, "predictor")},
                        {"seed", fmt::format("{}", run.request.seed)}}));
  return sheet;
}

}  // namespace flyball
