#include "problem/dynamic.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

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
  TextTable table({"window", "requests/s", "for", "mode", "batch", "objective", "switch"});
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
  fmt::print("{}\n{} profiles, {} switches; {} over all windows {}, with one mode throughout {}\n",
             table.str(), profiles, plan.switches, objective_name(problem.objective),
             number(plan.value),
             std::isfinite(plan.static_value) ? number(plan.static_value) : "not possible");
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

}  // namespace

// Each rate is searched once, starting from all that the rates before have profiled.
Status plan_dynamic_rates(PlanOptions& options) {
  FLYBALL_ASSIGN(const auto windows, parse_windows(options.windows));
  if (options.infer.size() != 1 || options.train.size() > 1)
    return Error{Code::invalid_argument, "plan dynamic needs one --infer and at most one --train",
                 "each names a table or a network on this machine"};
  FLYBALL_ASSIGN(auto store, plan_store(options));
  FLYBALL_ASSIGN(Setting setting, open_setting(options, store ? &*store : nullptr));
  const Objective usual = options.train.empty() ? Objective::power : Objective::throughput;
  std::vector<Known> known;
  Readings readings;
  for (size_t role = 0; role < setting.roles.size(); ++role)
    readings.emplace_back(setting.candidates->size(role));
  std::set<double> rates;
  for (const RateWindow& window : windows) rates.insert(window.rate_hz);
  size_t profiles = 0;
  Problem problem;
  for (double rate : rates) {
    options.rates = {rate};
    FLYBALL_ASSIGN(problem, make_problem_of(options, setting, usual));
    FLYBALL_ASSIGN(const Plan plan, search_plan(options, setting, problem, known));
    profiles += plan.profiles;
    for (const Step& step : plan.steps) {
      if (!step.failure.empty()) continue;
      known.push_back({step.ask.role, step.ask.candidate, step.reading});
      readings[step.ask.role][step.ask.candidate] = step.reading;
    }
  }
  FLYBALL_ASSIGN(const DynamicPlan plan, plan_dynamic(problem, readings, windows));
  if (options.json)
    print_json(dynamic_json(setting, problem, plan, profiles));
  else
    print_dynamic(setting, problem, plan, profiles);
  return {};
}

}  // namespace flyball::cli
