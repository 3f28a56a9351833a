#include "tune/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "answers/answer.h"
#include "base/amounts.h"
#include "base/distinct.h"
#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "base/units.h"
#include "search/registry.h"
#include "tune/preset_choices.h"
#include "tune/session.h"

namespace flyball {
namespace {

// Of a trial beside the minibatches that count: switching the mode, starting, warming up.
constexpr double around_a_trial_s = 1;

struct Held {
  size_t configurations = 0;
  std::vector<double> seconds, joules;  ///< of trials
};

Result<Held> held_of(const MeasuredRole& role, Store* store) {
  Held held;
  if (!store) return held;
  FLYBALL_ASSIGN(Recorder recorder, Recorder::open(role, store, {}, false));
  FLYBALL_ASSIGN(const auto recalled, recorder.recall());
  std::set<size_t> seen;
  for (const Recorder::Recorded& known : recalled) {
    if (!seen.insert(known.candidate).second) continue;
    const Measurement& stored = known.measurement;
    ++held.configurations;
    if (stored.failed() || !(stored.total_s > 0)) continue;
    held.seconds.push_back(stored.total_s);
    if (const auto watts = stored.power_w()) held.joules.push_back(*watts * stored.total_s);
  }
  return held;
}

size_t most_profiles(const SharedBoard& board, const Request& request,
                     const StrategyEntry& strategy, DryRun& dry) {
  if (strategy.all_known) return 0;
  const size_t all = board.candidates->profiles();
  const bool open = request.gap > 0 || request.time_limit_s != unlimited;
  if (strategy.exhaustive || (open && !request.profiles_asked)) return all;
  if (strategy.own_profiles && !request.profiles_asked) {
    dry.notes.push_back(request.strategy + " takes a number of profiles of its own");
    return all;
  }
  return std::min(request.profiles, all);
}

std::string presets_text(const SharedBoard& board) {
  const Presets& presets = board.info(0).presets;
  std::vector<std::string> names;
  for (const Preset& preset : presets.list)
    names.push_back(preset.name + (&preset == presets.in_force() ? " (in force)" : ""));
  return names.empty() ? "no presets of this board are known"
                       : "presets " + join(names, ", ") + ": at most two are measured";
}

bool costs_time(const ProfilerInfo& info) {
  return info.live && info.provenance != Provenance::simulated;
}

// At most, of each role: it has not more than its candidates.
std::vector<size_t> trials_of_roles(const SharedBoard& board, const DryRun& dry) {
  std::vector<size_t> trials;
  for (size_t role = 0; role < board.roles.size(); ++role)
    trials.push_back(std::min(dry.profiles, board.candidates->size(role)) +
                     dry.verifications / board.roles.size());
  return trials;
}

// Only roles that are measured cost anything: a table beside them is read.
void add_costs(const SharedBoard& board, const Request& request, const Held& held,
               const std::vector<size_t>& of_roles, DryRun& dry) {
  const Workloads all = board.workloads();
  const auto costly = std::ranges::find_if(all, [](auto* info) { return costs_time(*info); });
  if (costly == all.end()) {
    const char* why = board.info(0).live ? "trials are simulated" : "a table is read";
    dry.seconds = {0, why};
    dry.joules = {0, why};
    return;
  }
  const ProfilerInfo& info = **costly;
  size_t trials = 0;
  for (size_t role = 0; role < all.size(); ++role)
    if (costs_time(*all[role])) trials += of_roles[role];
  dry.seconds = cost_ahead(held.seconds, trials, "trials", "s");
  dry.joules = cost_ahead(held.joules, trials, "trials", "J");
  if (!info.power_gap.empty()) dry.joules = {{}, "not known: " + power_notice(info)};
  if (!dry.seconds.value && info.trial_cap_s > 0)
    dry.seconds = {
        (info.trial_cap_s + around_a_trial_s) * static_cast<double>(trials),
        fmt::format("a trial takes at most {:g} s, and about 1 s around it", info.trial_cap_s)};
  if (dry.seconds.value && *dry.seconds.value > request.time_limit_s)
    dry.seconds = {request.time_limit_s, "no trial begins later (--duration)"};
  if (info.program)
    dry.notes.emplace_back("a program that marks no minibatches is measured over its whole run");
}

void add_axis(const Axis& axis, std::vector<Axis>& all) {
  const auto same = std::ranges::find(all, axis.name, &Axis::name);
  if (same == all.end()) {
    all.push_back(axis);
    return;
  }
  same->values.insert(same->values.end(), axis.values.begin(), axis.values.end());
  make_distinct(same->values);
}

std::string axis_text(const Axis& axis) {
  constexpr size_t most_listed = 10;
  const auto [low, high] = std::ranges::minmax(axis.values);
  const std::string unit = axis.unit.empty() ? "" : " " + axis.unit;
  if (axis.values.size() <= most_listed) {
    std::vector<double> values = axis.values;
    std::ranges::sort(values);
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(format_number(value));
    return fmt::format("{} {}{}", axis.name, join(texts, ", "), unit);
  }
  return fmt::format("{} from {} to {}{} ({} values)", axis.name, format_number(low),
                     format_number(high), unit, axis.values.size());
}

/// What they add up from; "" where they are the profiles alone.
std::string trials_text(const DryRun& dry) {
  if (dry.trials == dry.profiles) return "";
  const size_t roles = dry.roles.size();
  std::string text = fmt::format(" ({}{} profile{}", roles > 1 ? "at most " : "", dry.profiles,
                                 dry.profiles == 1 ? "" : "s");
  if (roles > 1) text += fmt::format(" of each of {} workloads", roles);
  if (dry.verifications > 0)
    text += fmt::format(", and at most {} that measure the answer or the default once more",
                        dry.verifications);
  return text + ")";
}

Json cost_json(const CostAhead& cost) {
  return {{"value", or_null(cost.value)}, {"known", cost.known}};
}

}  // namespace

CostAhead cost_ahead(const std::vector<double>& stored, size_t wanted, const char* what,
                     const char* unit) {
  if (stored.empty()) return {{}, fmt::format("not known: the store holds no such {}", what)};
  const double middle = median(stored);
  return {
      middle * static_cast<double>(wanted),
      fmt::format("by {} stored {} of {:.3g} {} in the median", stored.size(), what, middle, unit)};
}

Result<DryRun> dry_run(const SharedBoard& board, Store* store, const Request& request,
                       const std::shared_ptr<const Problem>& problem, size_t searches) {
  FLYBALL_CHECK(validate(*problem));
  FLYBALL_ASSIGN(const auto session, Session::open(board.roles, request, nullptr));
  FLYBALL_CHECK(session->check(problem));
  FLYBALL_ASSIGN(const StrategyEntry* strategy, find_strategy(request.strategy));
  DryRun dry;
  dry.device = board.info(0).device;
  dry.title = board.info(0).device_title;
  dry.compared = presets_text(board);
  Held all;
  for (size_t role = 0; role < board.roles.size(); ++role) {
    FLYBALL_ASSIGN(const Held held, held_of(board.roles[role], store));
    const ProfilerInfo& info = board.info(role);
    dry.roles.push_back(
        {info.workload, info.phase, board.candidates->size(role), held.configurations});
    std::ranges::copy(held.seconds, std::back_inserter(all.seconds));
    std::ranges::copy(held.joules, std::back_inserter(all.joules));
    for (const Axis& axis : board.candidates->space(role).axes()) add_axis(axis, dry.axes);
  }
  dry.profiles = std::min(searches * most_profiles(board, request, *strategy, dry),
                          board.candidates->profiles());
  const Workloads who = board.workloads();
  dry.sets = std::ranges::any_of(who, [](const ProfilerInfo* info) { return info->live; });
  dry.repeats = dry.sets && !strategy->all_known;
  dry.notes.insert(dry.notes.end(), board.left_out.begin(), board.left_out.end());
  if (request.verify && dry.repeats)
    dry.verifications = board.roles.size() * searches * verification_rounds;
  const std::vector<size_t> of_roles = trials_of_roles(board, dry);
  dry.trials = std::accumulate(of_roles.begin(), of_roles.end(), size_t{0});
  add_costs(board, request, all, of_roles, dry);
  return dry;
}

Json to_json(const DryRun& dry) {
  Json roles = Json::array(), axes = Json::array();
  for (const DryRunRole& role : dry.roles)
    roles.push_back({{"workload", role.workload},
                     {"phase", phase_name(role.phase)},
                     {"configurations", role.configurations},
                     {"held", role.held}});
  for (const Axis& axis : dry.axes)
    axes.push_back({{"name", axis.name},
                    {"unit", axis.unit},
                    {"scope", axis.scope == Scope::board ? "board" : "run"},
                    {"values", axis.values}});
  return {{"schema", json_schema},
          {"dry_run", true},
          {"device", {{"name", dry.device}, {"title", dry.title}}},
          {"roles", std::move(roles)},
          {"axes", std::move(axes)},
          {"profiles_at_most", dry.profiles},
          {"trials_at_most", dry.trials},
          {"seconds", cost_json(dry.seconds)},
          {"joules", cost_json(dry.joules)},
          {"compared", text_or_null(dry.compared)},
          {"notes", dry.notes}};
}

std::string dry_run_text(const DryRun& dry) {
  std::string text =
      fmt::format("on {} ({}); nothing was measured, set or written\n", dry.device, dry.title);
  if (dry.trials == 0 && dry.roles.empty())
    text += "trials   none: nothing of it can be asked here; without --dry-run it is said why\n";
  else if (dry.trials == 0)
    text += "trials   none: every configuration is known\n";
  else
    text += fmt::format("trials   at most {}{}{}\n", dry.trials, trials_text(dry),
                        dry.repeats ? "; readings that others contradict are repeated beside" : "");
  const auto cost = [&](const char* name, const CostAhead& ahead, const std::string& value) {
    const bool nothing = ahead.value == 0;
    text +=
        fmt::format("{:<8} {} ({})\n", name,
                    nothing ? "none" : (ahead.value ? "about " + value : "unknown"), ahead.known);
  };
  cost("time", dry.seconds, format_seconds({dry.seconds.value.value_or(0)}));
  cost("energy", dry.joules, format_joules(dry.joules.value.value_or(0)));
  for (const Scope scope : {Scope::board, Scope::run})
    for (const Axis& axis : dry.axes)
      if (axis.scope == scope)
        text += fmt::format("{:<8} {}\n",
                            !dry.sets               ? "reads"
                            : scope == Scope::board ? "sets"
                                                    : "passes",
                            axis_text(axis));
  for (const DryRunRole& role : dry.roles)
    text += fmt::format("held     {} of {} configurations of {} {} in the store\n", role.held,
                        role.configurations, role.workload,
                        role.phase == Phase::train ? "training" : "inference");
  if (!dry.compared.empty()) text += "compares " + dry.compared + "\n";
  for (const std::string& note : dry.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace flyball
