#include "fleet/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"
#include "fleet/planner.h"

namespace flyball {
namespace {

constexpr double unlimited_w = std::numeric_limits<double>::infinity();
constexpr double same = 1e-6;  // a limit binds where its end saves more than this share
constexpr std::array objectives = {FleetObjective::energy, FleetObjective::time,
                                   FleetObjective::power};

std::string value_text(FleetObjective objective, double value) {
  switch (objective) {
    case FleetObjective::energy:
      return format_joules(value);
    case FleetObjective::time:
      return upper_seconds({value});
    case FleetObjective::power:
      return upper_figure(value) + " W";
  }
  return "";
}

class Chooser {
 public:
  Chooser(FleetQuestion question, std::vector<FleetKind> kinds) {
    all_.question = std::move(question);
    all_.kinds = std::move(kinds);
  }

  Result<FleetAnswer> run() {
    FLYBALL_CHECK(check());
    put_in_order();
    const FleetSolution solution = solve(all_.question.objective, all_.question.limits);
    all_.exact = solution.exact;
    if (solution.plan) {
      all_.plan = as_asked(*solution.plan);
      all_.value = objective_of(*solution.plan, all_.question.objective);
      all_.bound = std::min(solution.bound, all_.value);
      ask_without_limits();
    } else {
      explain();
    }
    add_notes();
    return std::move(all_);
  }

 private:
  FleetSolution solve(FleetObjective objective, const FleetLimits& limits) const {
    return plan_fleet(all_.question, ordered_, objective, limits);
  }

  static Error refused(std::string message, std::string hint) {
    return {Code::invalid_argument, std::move(message), std::move(hint)};
  }

  Status check() const {
    size_t boards = 0;
    for (size_t i = 0; i < all_.kinds.size(); ++i) {
      boards += all_.kinds[i].boards;
      for (size_t j = 0; j < i; ++j)
        if (all_.kinds[i].title == all_.kinds[j].title)
          return refused(fmt::format("{} is named twice", all_.kinds[i].title),
                         "name it once, with all its boards");
    }
    if (boards == 0) return refused("the fleet has no boards", "name some with --board NAME=COUNT");
    const FleetQuestion& question = all_.question;
    if (!(question.samples() > 0))
      return refused(fmt::format("the samples of an epoch of {} are not known",
                                 question.training.network.name),
                     "give --samples");
    if (question.limits.count && *question.limits.count > boards)
      return refused(
          fmt::format("--count {}: the fleet has {} boards", *question.limits.count, boards),
          "name more boards");
    if (question.objective == FleetObjective::power && !question.each &&
        !question.limits.deadline_s)
      return refused("the least power of boards that share the work needs a deadline",
                     "give --deadline");
    return check_idle();
  }

  Status check_idle() const {
    for (const FleetKind& kind : all_.kinds)
      if (all_.question.unused_idles && !kind.idle_w)
        return refused(fmt::format("the idle power of {} is not known", kind.title),
                       "give it in the column idle_w of --fleet, or take --unused off");
    return {};
  }

  void put_in_order() {
    order_.resize(all_.kinds.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::sort(order_, {}, [this](size_t i) { return all_.kinds[i].title; });
    for (const size_t i : order_) ordered_.push_back(all_.kinds[i]);
  }

  FleetPlan as_asked(FleetPlan plan) const {
    for (FleetGroup& group : plan.groups) group.kind = order_[group.kind];
    std::ranges::stable_sort(plan.groups, [](const FleetGroup& a, const FleetGroup& b) {
      return std::pair(a.kind, a.mode) < std::pair(b.kind, b.mode);
    });
    return plan;
  }

  void ask_without(const char* name, FleetLimits limits) {
    const FleetSolution freed = solve(all_.question.objective, limits);
    if (!freed.plan) return;
    all_.without.push_back(
        {name, std::min(objective_of(*freed.plan, all_.question.objective), all_.value)});
  }

  void ask_without_limits() {
    const FleetLimits& given = all_.question.limits;
    const FleetObjective objective = all_.question.objective;
    if (given.deadline_s && objective == FleetObjective::energy) {
      FleetLimits limits = given;
      limits.deadline_s.reset();
      ask_without("deadline", limits);
    }
    if (given.power_w) {
      FleetLimits limits = given;
      limits.power_w.reset();
      ask_without("power", limits);
    }
    if (given.count && !all_.question.each) {
      FleetLimits limits = given;
      limits.count.reset();
      ask_without("count", limits);
    }
  }

  void explain() {
    const FleetLimits& given = all_.question.limits;
    std::vector<std::string> would_do;
    if (given.deadline_s) {
      FleetLimits limits = given;
      limits.deadline_s.reset();
      if (const auto fastest = solve(FleetObjective::time, limits); fastest.plan) {
        all_.nearest_deadline_s = fastest.plan->time_s;
        would_do.push_back(
            fmt::format("--deadline {}s", upper_figure(*all_.nearest_deadline_s, 6)));
      }
    }
    if (given.power_w) {
      FleetLimits limits = given;
      limits.power_w.reset();
      if (const auto weakest = solve(FleetObjective::power, limits); weakest.plan) {
        all_.nearest_power_w = weakest.plan->power_w;
        would_do.push_back(
            fmt::format("--power-budget {}W", upper_figure(*all_.nearest_power_w, 6)));
      }
    }
    all_.infeasible = Error{
        Code::infeasible,
        fmt::format("no plan {} {}", all_.exact ? "keeps" : "was found that keeps",
                    given.text(all_.question.each)),
        would_do.empty()
            ? "name more boards, or relax two limits at once"
            : fmt::format("with all else as it is, this would do: {}", join(would_do, ", or "))};
  }

  void add_notes() {
    const FleetQuestion& question = all_.question;
    if (!question.each)
      all_.notes.emplace_back(
          "the boards share the samples by their speed; what they exchange is not counted");
    note_waiting();
    std::vector<std::string> totals;
    for (const FleetKind& kind : all_.kinds) {
      all_.notes.insert(all_.notes.end(), kind.notes.begin(), kind.notes.end());
      const std::string total = kind.power_total.empty() ? "not named" : kind.power_total;
      if (std::ranges::find(totals, total) == totals.end()) totals.push_back(total);
    }
    if (totals.size() > 1)
      all_.notes.push_back("the power totals of the boards differ: " + join(totals, ", "));
  }

  void note_waiting() {
    const FleetQuestion& question = all_.question;
    all_.notes.emplace_back(question.unused_idles
                                ? "boards that do not run draw their idle power, which counts"
                                : "boards that do not run are off and draw nothing");
    if (!question.each) return;
    for (const FleetKind& kind : all_.kinds)
      if (!kind.idle_w)
        all_.notes.push_back(fmt::format(
            "the idle power of {} is not known: what it draws while it waits is not counted",
            kind.title));
  }

  FleetAnswer all_;
  std::vector<size_t> order_;
  std::vector<FleetKind> ordered_;
};

const char* finish_text(size_t boards, bool each) {
  if (boards == 1) return each ? "finishes the work" : "finishes";
  return each ? "finish the work each" : "finish together";
}

std::string binding_text(const FleetAnswer& answer) {
  std::vector<std::string> parts;
  for (const WithoutLimit& one : answer.without)
    if (one.value < answer.value * (1 - same))
      parts.push_back(fmt::format("the {} binds (without it: {})",
                                  one.limit == "count" ? "number of boards" : one.limit,
                                  value_text(answer.question.objective, one.value)));
  // The least power is what the deadline leaves: no answer without it is compared.
  const bool for_power = answer.question.objective == FleetObjective::power;
  if (parts.empty() && answer.without.empty()) return "";
  if (parts.empty())
    return for_power && answer.question.limits.deadline_s ? "; no limit but the deadline binds"
                                                          : "; none of the limits binds";
  return "; " + join(parts, ", ");
}

}  // namespace

const char* fleet_objective_name(FleetObjective objective) {
  switch (objective) {
    case FleetObjective::energy:
      return "energy";
    case FleetObjective::time:
      return "time";
    case FleetObjective::power:
      return "power";
  }
  return "";
}

Result<FleetObjective> parse_fleet_objective(const std::string& text) {
  for (const FleetObjective one : objectives)
    if (text == fleet_objective_name(one)) return one;
  return Error{Code::invalid_argument, fmt::format("objective '{}' is not known", text),
               "one of: energy, time, power"};
}

std::string FleetLimits::text(bool each) const {
  std::vector<std::string> parts;
  if (deadline_s) parts.push_back("deadline " + limit_seconds({*deadline_s}));
  if (power_w) parts.push_back(fmt::format("power ≤ {} W", as_typed(*power_w)));
  if (count)
    parts.push_back(
        fmt::format("{} {} board{}", each ? "exactly" : "at most", *count, *count == 1 ? "" : "s"));
  return parts.empty() ? "no limits" : join(parts, ", ");
}

double FleetAnswer::gap_pct() const {
  return bound > 0 ? std::max(0.0, 100 * (value / bound - 1)) : 0;
}

Result<FleetAnswer> choose_fleet(FleetQuestion question, std::vector<FleetKind> kinds) {
  return Chooser(std::move(question), std::move(kinds)).run();
}

std::string fleet_sentence(const FleetAnswer& answer) {
  if (!answer.plan) return "";
  size_t all = 0;
  for (const FleetKind& kind : answer.kinds) all += kind.boards;
  const FleetPlan& plan = *answer.plan;
  const char* least = fleet_objective_name(answer.question.objective);
  const std::string how = answer.exact
                              ? fmt::format("the least {} there is", least)
                              : fmt::format("at most {} % above the least {}",
                                            number(std::max(answer.gap_pct(), 1e-4), 2), least);
  return fmt::format(
      "{} of {} board{} {} in {}, at {} W and with {}: {}{}", plan.boards, all, all == 1 ? "" : "s",
      finish_text(plan.boards, answer.question.each), upper_seconds({plan.time_s}),
      upper_figure(plan.power_w, 4, answer.question.limits.power_w.value_or(unlimited_w)),
      format_joules(plan.energy_j), how, binding_text(answer));
}

}  // namespace flyball
