#include "problem/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/figure.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr std::array objective_names = {
    std::pair{Objective::time, "time"},
    std::pair{Objective::energy, "energy"},
    std::pair{Objective::power, "power"},
    std::pair{Objective::latency, "latency"},
    std::pair{Objective::throughput, "throughput"},
    std::pair{Objective::minibatches, "minibatches"},
};

/// Collects constraints; remembers the one with the largest overshoot.
struct Tally {
  Outcome& out;

  void demand(Constraint constraint, double value, double limit) {
    if (limit == unlimited) return;
    out.feasible = out.feasible && holds(value, limit);
    const double over = limit > 0 && !std::isnan(value) ? value / limit - 1 : unlimited;
    if (out.tightest != Constraint::none && over <= out.overshoot) return;
    out.overshoot = over;
    out.tightest = constraint;
  }
};

double larger_power(std::span<const Reading> readings) {
  double power = 0;
  for (const Reading& reading : readings) {
    if (std::isnan(reading.power_w)) return not_measured;
    power = std::max(power, reading.power_w);
  }
  return power;
}

void training(const Problem& problem, const Reading& reading, double batch, Tally& tally) {
  const double time = reading.minibatch_ms / problem.counts(batch);
  const double energy = reading.power_w * time * 1e-3;
  tally.demand(Constraint::time, time, problem.budgets.time_ms);
  tally.demand(Constraint::energy, energy, problem.budgets.energy_j);
  tally.out.loss = problem.objective == Objective::energy ? energy : time;
  tally.out.tie = time;
}

void inference(const Problem& problem, const Reading& reading, size_t candidate, Tally& tally) {
  const double batch = problem.candidates->batch(0, candidate);
  const double latency = problem.wait_ms(0, batch) + reading.minibatch_ms;
  tally.demand(Constraint::latency, latency, problem.roles[0].latency_ms);
  tally.demand(Constraint::arrival_rate, reading.minibatch_ms, problem.window_ms(0, batch));
  tally.out.loss = problem.objective == Objective::time     ? reading.minibatch_ms
                   : problem.objective == Objective::energy ? problem.request_j(reading, candidate)
                                                            : latency;
  tally.out.tie = reading.minibatch_ms;
}

void concurrent(const Problem& problem, std::span<const Reading> readings,
                std::span<const double> batch, double lost_ms, Tally& tally) {
  const Role& role = problem.roles[1];
  const double infer = readings[1].minibatch_ms, window = problem.window_ms(1, batch[1]);
  tally.demand(Constraint::latency, problem.wait_ms(1, batch[1]) + infer, role.latency_ms);
  tally.demand(Constraint::arrival_rate, infer, window);
  const double n = minibatches_per_window(window - lost_ms, infer, readings[0].minibatch_ms);
  tally.out.minibatches = n;
  tally.out.loss = problem.objective == Objective::minibatches
                       ? -n
                       : -n * problem.counts(batch[0]) * role.rate_hz / batch[1];
  // What is planned without slack is missed as soon as a minibatch takes a little longer.
  const bool counts = problem.objective != Objective::power && n > 0;
  tally.out.tie = counts ? (infer + n * readings[0].minibatch_ms + lost_ms) / window : infer;
}

void two_inferences(const Problem& problem, std::span<const Reading> readings,
                    std::span<const double> batch, Tally& tally) {
  const double both = readings[0].minibatch_ms + readings[1].minibatch_ms;
  double worst = 0, longest = 0;
  for (size_t r = 0; r < 2; ++r) {
    const Role& role = problem.roles[r];
    const double latency = problem.wait_ms(r, batch[r]) + both;
    tally.demand(Constraint::latency, latency, role.latency_ms);
    worst = std::max(worst, latency / role.latency_ms);
    longest = std::max(longest, latency);
  }
  tally.demand(Constraint::arrival_rate, serving_load(problem, readings, batch), 1);
  tally.out.loss = problem.objective == Objective::time ? both : worst > 0 ? worst : longest;
  tally.out.tie = both;
}

}  // namespace

const char* objective_name(Objective objective) {
  for (const auto& [value, name] : objective_names)
    if (value == objective) return name;
  return "time";
}

bool counts_training(Objective objective) {
  return objective == Objective::throughput || objective == Objective::minibatches;
}

Result<Objective> parse_objective(const std::string& text) {
  std::vector<std::string> known;
  for (const auto& [value, name] : objective_names) {
    if (text == name) return value;
    known.push_back(name);
  }
  return Error{Code::invalid_argument, fmt::format("'{}' is not an objective", text),
               name_hint(text, known)};
}

const char* constraint_name(Constraint constraint) {
  switch (constraint) {
    case Constraint::power:
      return "power";
    case Constraint::time:
      return "time";
    case Constraint::energy:
      return "energy";
    case Constraint::slowdown:
      return "slowdown";
    case Constraint::latency:
      return "latency";
    case Constraint::arrival_rate:
      return "arrival rate";
    case Constraint::figure:
      return "reported figure";
    case Constraint::none:
      break;
  }
  return "nothing";
}

Role role_of(const WorkloadTable& table) {
  Role role{table.workload, table.phase};
  role.device = table.device;
  role.batch_size = table.batch_size;
  role.power_total = table.power_total;
  role.cost = table.cost;
  role.prior = table.prior;
  return role;
}

WorkloadTable empty_table(const Role& role, const Space& space) {
  WorkloadTable table;
  table.device = role.device;
  table.batch_size = role.batch_size;
  table.workload = role.workload;
  table.phase = role.phase;
  table.power_total = role.power_total;
  table.cost = role.cost;
  table.prior = role.prior;
  std::vector<Axis> axes = space.axes();
  for (Axis& axis : axes) axis.values.clear();
  table.space = Space(std::move(axes));
  return table;
}

bool Problem::needs_power() const {
  return budgets.power_w != unlimited || budgets.energy_j != unlimited ||
         objective == Objective::power || objective == Objective::energy;
}

double Problem::lost_ms(std::span<const size_t> choice) const {
  if (!separate_modes || choice.size() < 2) return 0;
  return candidates->mode_of(0, choice[0]) == candidates->mode_of(1, choice[1]) ? 0 : 2 * switch_ms;
}

double Problem::request_j(const Reading& reading, size_t candidate) const {
  const double batch = candidates->batch(0, candidate), t = reading.minibatch_ms;
  double millijoules = reading.power_w * t;
  if (!idle_w.empty())
    millijoules +=
        idle_w[candidates->mode_of(0, candidate)] * std::max(0.0, window_ms(0, batch) - t);
  return millijoules / (1e3 * batch);
}

double samples_per_minibatch(double batch, double samples) {
  return samples > 0 ? samples / std::ceil(samples / batch) : batch;
}

double Problem::counts(double batch) const {
  return per_sample ? samples_per_minibatch(batch, samples) : 1;
}

double Problem::compared_ms(double minibatch_ms, size_t candidate) const {
  const double batch = candidates->batch(0, candidate);
  return minibatch_ms / (roles[0].serves() ? batch : counts(batch));
}

double Problem::slowdown_cap_ms(size_t candidate) const {
  if (budgets.slowdown == unlimited) return unlimited;
  return std::isnan(usual_ms) ? 0 : budgets.slowdown * usual_ms / compared_ms(1, candidate);
}

std::string unit_of(const Problem& problem, Constraint constraint) {
  const char* per = problem.per_sample ? "/sample" : "";
  switch (constraint) {
    case Constraint::power:
      return "W";
    case Constraint::time:
      return std::string("ms") + per;
    case Constraint::energy:
      return std::string("J") + per;
    case Constraint::latency:
      return "ms";
    case Constraint::arrival_rate:
      return "requests/s";
    case Constraint::slowdown:
      return "%";
    case Constraint::figure:
    case Constraint::none:
      break;
  }
  return "";
}

std::string role_name(const Problem& problem, size_t role) {
  const Role& own = problem.roles[role];
  if (problem.roles.size() != 2 || problem.roles[1 - role].workload != own.workload)
    return own.workload;
  const char* which = role == 0 ? "first" : "second";
  if (problem.roles[1 - role].serves() != own.serves()) which = own.serves() ? "served" : "trained";
  return fmt::format("the {} {}", which, own.workload);
}

std::string slowdown_text(double slowdown) {
  return fmt::format("slowdown against the default ≤ {:.6g} %", percent_of_slowdown(slowdown));
}

std::string describe(const Problem& problem) {
  std::string text = fmt::format("objective {}", objective_name(problem.objective));
  const auto limit = [&](const char* what, double value, Constraint constraint) {
    if (value != unlimited)
      text += fmt::format(", {} ≤ {} {}", what, as_typed(value), unit_of(problem, constraint));
  };
  limit("power", problem.budgets.power_w, Constraint::power);
  limit("time", problem.budgets.time_ms, Constraint::time);
  limit("energy", problem.budgets.energy_j, Constraint::energy);
  if (problem.budgets.slowdown != unlimited) text += ", " + slowdown_text(problem.budgets.slowdown);
  if (!problem.idle_w.empty()) text += ", idle power between batches counted";
  for (size_t i = 0; i < problem.roles.size(); ++i) {
    const Role& role = problem.roles[i];
    if (!role.serves()) continue;
    text += fmt::format(", {} {} requests/s", role_name(problem, i), as_typed(role.rate_hz));
    if (role.latency_ms != unlimited)
      text += fmt::format(" with latency ≤ {} ms", as_typed(role.latency_ms));
  }
  return text;
}

bool trains_in_several_batches(const Candidates& candidates, const std::vector<Role>& roles) {
  const Role& first = roles.front();
  return !first.serves() && (first.phase == Phase::train || first.offline) &&
         candidates.batches(0).size() > 1;
}

bool Outcome::better_than(const Outcome& other) const {
  if (feasible != other.feasible) return feasible;
  if (!feasible) return overshoot < other.overshoot;
  if (loss != other.loss) return loss < other.loss;
  if (power_w < other.power_w || power_w > other.power_w) return power_w < other.power_w;
  return tie < other.tie;
}

double minibatches_per_window(double window_ms, double infer_ms, double train_ms) {
  return std::max(0.0, std::floor((window_ms - infer_ms) / train_ms));
}

double objective_value(const Problem& problem, const Outcome& outcome) {
  return counts_training(problem.objective) ? 0 - outcome.loss : outcome.loss;  // no -0
}

double serving_load(const Problem& problem, std::span<const Reading> readings,
                    std::span<const double> batch, std::optional<size_t> but) {
  double load = 0;
  for (size_t r = 0; r < readings.size(); ++r)
    if (r != but && problem.roles[r].serves())
      load += readings[r].minibatch_ms / problem.window_ms(r, batch[r]);
  return load;
}

Outcome outcome(const Problem& problem, std::span<const Reading> readings,
                std::span<const size_t> choice) {
  Outcome out;
  std::array<double, 2> batch{};
  for (size_t role = 0; role < choice.size(); ++role)
    batch[role] = problem.candidates->batch(role, choice[role]);
  for (const Reading& reading : readings)
    if (!(reading.minibatch_ms > 0)) return out;  // failed: nothing is known of it
  out.feasible = true;
  Tally tally{out};
  const double power = larger_power(readings);
  out.power_w = power;
  tally.demand(Constraint::power, power, problem.budgets.power_w);
  for (const Reading& reading : readings)
    if (!reading.keeps_figures()) tally.demand(Constraint::figure, 1 + reading.excess, 1);
  if (readings.size() == 1)
    tally.demand(Constraint::slowdown, problem.slowdown(readings[0].minibatch_ms, choice[0]),
                 problem.budgets.slowdown);
  if (readings.size() == 1 && !problem.roles[0].serves())
    training(problem, readings[0], batch[0], tally);
  else if (readings.size() == 1)
    inference(problem, readings[0], choice[0], tally);
  else if (problem.concurrent())
    concurrent(problem, readings, batch, problem.lost_ms(choice), tally);
  else
    two_inferences(problem, readings, batch, tally);
  if (problem.objective == Objective::power) out.loss = power;
  if (std::isnan(out.loss)) out.loss = unlimited;
  if (out.loss == unlimited) out.feasible = false;
  if (out.tightest == Constraint::none) out.overshoot = out.feasible ? -1 : unlimited;
  return out;
}

}  // namespace flyball
