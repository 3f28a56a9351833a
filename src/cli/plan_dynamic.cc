#include "problem/dynamic.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/output.h"
#include "cli/planning.h"

namespace flyball::cli {
namespace {

Result<std::vector<RateWindow>> parse_windows(const std::vector<std::string>& texts) {
  std::vector<RateWindow> windows;
  for (const std::string& list : texts)
    for (const std::string& text : split(list, ',')) {
      const size_t colon = text.find(':');
      const auto rate = parse_double(text.substr(0, colon));
      if (!rate || colon == std::string::npos)
        return Error{Code::invalid_argument, fmt::format("'{}' is not a rate window", text),
                     "write RATE:DURATION, such as 30:10min,60:5min"};
      FLYBALL_ASSIGN(const Seconds length, parse_seconds(text.substr(colon + 1)));
      windows.push_back({*rate, length.value});
    }
  if (windows.empty())
    return Error{Code::invalid_argument, "there are no rate windows",
                 "name them with --windows 30:10min,60:5min"};
  return windows;
}

void print_dynamic(const Setting& setting, const Problem& problem, const DynamicPlan& plan,
                   size_t profiles) {
  TextTable table(
      {"window", "requests/s", "for", "mode", "batch", objective_unit(problem), "switch"});
  const size_t last = problem.roles.size() - 1;
  for (size_t w = 0; w < plan.windows.size(); ++w) {
    const WindowPlan& window = plan.windows[w];
    const size_t served = window.choice.candidates[last];
    const PowerMode mode = setting.candidates->space(last).trial(served, "", Phase::infer).mode;
    table.add({fmt::format("{}", w + 1), number(window.window.rate_hz),
               format_seconds({window.window.seconds}), describe(mode.values),
               number(setting.candidates->batch(last, served)),
               number(objective_value(problem, window.choice.outcome)),
               window.switches ? "yes" : ""});
  }
  fmt::print(
      "{}\n{} profile{}, {} switch{}; {} over all windows {} {}, with one mode throughout {}\n",
      table.str(), profiles, profiles == 1 ? "" : "s", plan.switches,
      plan.switches == 1 ? "" : "es", objective_name(problem.objective), number(plan.value),
      objective_unit(problem),
      std::isfinite(plan.static_value) ? number(plan.static_value)
                                       : "none of those profiled serves all windows");
}

nlohmann::ordered_json dynamic_json(const Setting& setting, const Problem& problem,
                                    const DynamicPlan& plan, size_t profiles) {
  nlohmann::ordered_json windows = nlohmann::ordered_json::array();
  for (const WindowPlan& window : plan.windows) {
    nlohmann::ordered_json choice = nlohmann::ordered_json::array();
    for (size_t role = 0; role < problem.roles.size(); ++role)
      choice.push_back(
          {{"workload", problem.roles[role].workload},
           {"config", setting.candidates->space(role).settings(window.choice.candidates[role])}});
    windows.push_back({{"rate_hz", window.window.rate_hz},
                       {"seconds", window.window.seconds},
                       {"choice", choice},
                       {"value", objective_value(problem, window.choice.outcome)},
                       {"switches", window.switches}});
  }
  return {
      {"problem", "dynamic"},
      {"objective", objective_name(problem.objective)},
      {"windows", windows},
      {"switches", plan.switches},
      {"value", plan.value},
      {"static_value", std::isfinite(plan.static_value) ? nlohmann::ordered_json(plan.static_value)
                                                        : nlohmann::ordered_json(nullptr)},
      {"profiles", profiles}};
}

/// What the searches of all rates have profiled.
struct Profiles {
  Problem problem;  ///< of the last rate
  Readings readings;
  size_t count = 0;
};

// Each rate is searched once, starting from all that the rates before have profiled.
Result<Profiles> profile_rates(PlanOptions& options, Setting& setting,
                               std::span<const RateWindow> windows) {
  const Objective usual = options.train.empty() ? Objective::power : Objective::throughput;
  Profiles all;
  for (size_t role = 0; role < setting.roles.size(); ++role)
    all.readings.emplace_back(setting.candidates->size(role));
  std::vector<Known> known;
  std::set<double> rates;
  for (const RateWindow& window : windows) rates.insert(window.rate_hz);
  for (double rate : rates) {
    options.rates = {rate};
    FLYBALL_ASSIGN(all.problem, make_problem_of(options, setting, usual));
    FLYBALL_ASSIGN(const Plan plan, search_plan(options, setting, all.problem, known));
    if (plan.steps.empty() && !plan.answer) return plan.why_not;
    all.count += plan.profiles;
    for (const Step& step : plan.steps) {
      if (!step.failure.empty()) continue;
      known.push_back({step.ask.role, step.ask.candidate, step.reading});
      all.readings[step.ask.role][step.ask.candidate] = step.reading;
    }
  }
  return all;
}

Status plan_windows(PlanOptions& options, Setting& setting, std::span<const RateWindow> windows) {
  FLYBALL_ASSIGN(const Profiles all, profile_rates(options, setting, windows));
  FLYBALL_ASSIGN(const DynamicPlan plan, plan_dynamic(all.problem, all.readings, windows));
  if (options.json)
    print_json(dynamic_json(setting, all.problem, plan, all.count));
  else
    print_dynamic(setting, all.problem, plan, all.count);
  return {};
}

}  // namespace

Status plan_dynamic_rates(PlanOptions& options) {
  FLYBALL_ASSIGN(const auto windows, parse_windows(options.windows));
  if (options.infer.size() != 1 || options.train.size() > 1)
    return Error{Code::invalid_argument, "plan dynamic needs one --infer and at most one --train",
                 "each names a table or a network on this machine"};
  FLYBALL_ASSIGN(auto store, plan_store(options));
  FLYBALL_ASSIGN(Setting setting, open_setting(options, store ? &*store : nullptr));
  const Status status = plan_windows(options, setting, windows);
  if (options.json && !status.ok() && status.error().code == Code::infeasible)
    print_json({{"problem", "dynamic"},
                {"windows", nlohmann::ordered_json::array()},
                {"error", flyball::to_json(status.error())}});
  return status;
}

}  // namespace flyball::cli
