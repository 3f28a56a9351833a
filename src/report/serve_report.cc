#include "report/serve_report.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/units.h"
#include "report/sheet.h"
#include "report/stored_json.h"
#include "schedule/live_result.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t steps_of_a_bar = 8;  // 4 % of the latency

const char* known(const ServeReport& told) {
  return told.simulated ? "simulated" : "measured";
}

Json quantile(const ServiceResult& service, double q) {
  return or_null(service.latency.quantile_ms(q));
}

double per(double sum, size_t count) {
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

void add_figures(Json& sheet, const ServeReport& told) {
  for (const ServiceResult& s : told.result.services) {
    sheet["figures"].push_back(sheet_figure("p99 latency of " + s.name, quantile(s, 0.99), "ms",
                                            known(told),
                                            fmt::format("of a budget of {:g} ms", s.budget_ms)));
    sheet["figures"].push_back(sheet_figure("late, refused or failed of " + s.name,
                                            s.arrived == 0 ? Json() : Json(100 * s.late_share()),
                                            "%", known(told),
                                            fmt::format("{} late, {} refused, {} failed, of {}",
                                                        s.late, s.refused, s.failed, s.arrived)));
  }
  for (const TrainingResult& t : told.result.trainings)
    sheet["figures"].push_back(
        sheet_figure("minibatches of " + t.name, t.minibatches, "", known(told),
                     t.planned && *t.planned > 0
                         ? fmt::format("{:.1f} % of the plan",
                                       100 * static_cast<double>(t.minibatches) / *t.planned)
                         : fmt::format("{:.3g} per second, no plan",
                                       static_cast<double>(t.minibatches) / told.result.seconds)));
  const bool powered = std::isfinite(told.result.energy_j);
  sheet["figures"].push_back(
      sheet_figure("power", or_null(told.result.power_w()), "W", powered ? known(told) : "",
                   powered ? "mean of the run" : "not known: see the notes"));
}

void add_services(Json& sheet, const ServeReport& told) {
  Json table =
      sheet_table("Requests and their latency", "From arrival to answer, the queue included.",
                  {{"service", ""},
                   {"arrived", ""},
                   {"answered", ""},
                   {"late", ""},
                   {"refused", ""},
                   {"failed", ""},
                   {"budget", "ms"},
                   {"p50", "ms"},
                   {"p95", "ms"},
                   {"p99", "ms"},
                   {"max", "ms"}});
  for (const ServiceResult& s : told.result.services)
    table["rows"].push_back(sheet_row(
        {s.name, s.arrived, s.answered, s.late, s.refused, s.failed, s.budget_ms, quantile(s, 0.5),
         quantile(s, 0.95), quantile(s, 0.99), s.answered == 0 ? Json() : Json(s.latency.max_ms())},
        known(told)));
  sheet["tables"].push_back(std::move(table));
}

void add_batches(Json& sheet, const ServeReport& told) {
  Json table = sheet_table("Batches", "",
                           {{"service", ""},
                            {"batches", ""},
                            {"mean", ""},
                            {"largest", ""},
                            {"planned", ""},
                            {"largest queue", ""},
                            {"of the time", "%"},
                            {"energy per request", "J"}});
  for (const ServiceResult& s : told.result.services)
    table["rows"].push_back(
        sheet_row({s.name, s.batches, or_null(per(static_cast<double>(s.samples), s.batches)),
                   s.largest_batch, s.planned_batch, s.largest_queue,
                   or_null(100 * s.busy_s / told.result.seconds),
                   or_null(per(s.energy_j, told.simulated ? s.answered : 0))},
                  known(told)));
  sheet["tables"].push_back(std::move(table));
}

void add_trainings(Json& sheet, const ServeReport& told) {
  if (told.result.trainings.empty()) return;
  Json table = sheet_table("Training in the gaps", told.result.training_blocked,
                           {{"training", ""},
                            {"minibatches", ""},
                            {"planned", ""},
                            {"of the time", "%"},
                            {"minibatches per second", "1/s"},
                            {"energy per minibatch", "J"}});
  for (const TrainingResult& t : told.result.trainings)
    table["rows"].push_back(
        sheet_row({t.name, t.minibatches, t.planned ? or_null(*t.planned) : Json(),
                   or_null(100 * t.busy_s / told.result.seconds),
                   or_null(static_cast<double>(t.minibatches) / told.result.seconds),
                   or_null(per(t.energy_j, told.simulated ? t.minibatches : 0))},
                  known(told)));
  sheet["tables"].push_back(std::move(table));
}

void add_replans(Json& sheet, const ServeReport& told) {
  std::string caption = "What had changed, and what was done about it.";
  if (told.result.replan_count > told.result.replans.size())
    caption +=
        fmt::format(" The last {} of {}.", told.result.replans.size(), told.result.replan_count);
  Json table = sheet_table("New plans", caption,
                           {{"at", "s"},
                            {"why", ""},
                            {"planned for", "1/s"},
                            {"batch", ""},
                            {"mode", ""},
                            {"switched", ""}});
  for (const Replan& r : told.result.replans)
    table["rows"].push_back(
        sheet_row({r.at_s, r.why, r.rate_hz, r.batch, r.mode, r.switched ? "yes" : "no"}));
  if (!table["rows"].empty()) sheet["tables"].push_back(std::move(table));
}

void add_measured(Json& sheet, const ServeReport& told) {
  if (!told.result.measure_most) return;
  std::string caption =
      fmt::format("Power modes that nobody had profiled, {} at most.", *told.result.measure_most);
  if (!told.result.measuring_gap.empty()) caption += " No more: " + told.result.measuring_gap + ".";
  Json table = sheet_table("Modes measured while it served", caption,
                           {{"at", "s"},
                            {"for", "s"},
                            {"mode", ""},
                            {"batches", ""},
                            {"training minibatches", ""},
                            {"power", "W"},
                            {"left before its time", ""}});
  for (const MeasuredMode& m : told.result.measured)
    table["rows"].push_back(sheet_row({m.at_s, m.seconds, m.mode, m.batches, m.minibatches,
                                       or_null(m.power_w), m.left.empty() ? "no" : m.left}));
  sheet["tables"].push_back(std::move(table));
}

Json latency_bars(const ServiceResult& service) {
  Json upper = Json::array(), count = Json::array();
  for (const auto& [upper_ms, answered] : service.latency.bars(steps_of_a_bar)) {
    upper.push_back(upper_ms);
    count.push_back(answered);
  }
  return {{"upper_ms", upper}, {"count", count}};
}

Json serving_of(const ServeReport& told) {
  const LiveResult& result = told.result;
  Json services = Json::array(), trainings = Json::array(), replans = Json::array();
  for (const ServiceResult& s : result.services)
    services.push_back(
        {{"name", s.name}, {"budget_ms", s.budget_ms}, {"latency", latency_bars(s)}});
  for (const TrainingResult& t : result.trainings)
    trainings.push_back(
        {{"name", t.name},
         {"planned_per_s", t.planned ? or_null(*t.planned / result.seconds) : Json()}});
  for (const Replan& r : result.replans)
    replans.push_back({{"at_s", r.at_s},
                       {"why", r.why},
                       {"batch", r.batch},
                       {"mode", r.mode},
                       {"switched", r.switched}});
  return {{"simulated", told.simulated},
          {"seconds", result.seconds},
          {"services", services},
          {"trainings", trainings},
          {"replans", replans},
          {"power_gap", told.power_gap.empty() ? Json() : Json(told.power_gap)},
          {"timeline", timeline_json(told.timeline, result)},
          {"spans", spans_json(told.timeline)}};
}

std::string names_of(const LiveResult& result) {
  std::string names;
  for (const ServiceResult& s : result.services) names += (names.empty() ? "" : " and ") + s.name;
  names += " served";
  for (size_t t = 0; t < result.trainings.size(); ++t)
    names += (t == 0 ? ", " : " and ") + result.trainings[t].name;
  return names + (result.trainings.empty() ? "" : " trained in the gaps");
}

std::vector<std::pair<std::string, std::string>> run_facts(const ServeReport& told) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"started", told.started_utc},
      {"length", fmt::format("{}{}", format_seconds({told.result.seconds}),
                             told.simulated ? " of simulated time" : "")},
      {"decisions", fmt::format("{}", told.result.decisions)},
      {"switches of mode", fmt::format("{}", told.result.switches)}};
  for (const Json& role : told.plan)
    facts.push_back(
        {"plan of " + role["workload"].get<std::string>(), describe(settings_of(role["config"]))});
  return facts;
}

}  // namespace

Json serve_report(const ServeReport& told) {
  const LiveResult& result = told.result;
  const char* simulated = told.simulated ? "simulated: " : "";
  Json sheet =
      new_sheet({"serve", fmt::format("{}{} on {}", simulated, names_of(result), told.device),
                 fmt::format("Serve · {}{}", told.device,
                             told.simulated ? " · simulated time, no request was ever sent" : ""),
                 fmt::format("{}{}", told.simulated ? "Simulated: " : "", live_verdict(result)),
                 told.command, told.started_utc});
  if (!result.training_blocked.empty()) sheet["lines"].push_back(result.training_blocked + ".");
  add_figures(sheet, told);
  sheet["serving"] = serving_of(told);
  add_replans(sheet, told);
  add_measured(sheet, told);
  add_services(sheet, told);
  add_batches(sheet, told);
  add_trainings(sheet, told);
  if (told.simulated)
    add_note(sheet, "note",
             "simulated: the scheduler is the one that serves live; how long minibatches take and "
             "what they draw is looked up in tables");
  if (!told.power_gap.empty()) add_note(sheet, "gap", "no power: " + told.power_gap);
  for (const std::string& note : told.notes) add_note(sheet, "note", note);
  sheet["facts"].push_back(fact_list("Machine", {{"name", told.device}}));
  sheet["facts"].push_back(fact_list("Run", run_facts(told)));
  return sheet;
}

}  // namespace flyball
