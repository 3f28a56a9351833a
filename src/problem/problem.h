// The optimisation problems as equations (docs/problems.md): what may be chosen, what is to be
// small, and what must hold.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problem/candidates.h"
#include "problem/preference.h"
#include "space/axis.h"
#include "space/table.h"

namespace flyball {

inline constexpr double unlimited = std::numeric_limits<double>::infinity();
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// What one candidate of one role was measured to do.
struct Reading {
  double minibatch_ms = not_measured;  ///< NaN: the trial failed
  double power_w = not_measured;       ///< NaN: there is no power sensor
  /// By what share a figure of its own is beyond its limit (answers/figure_limit.h), the worst of
  /// them; not above 0: all hold, or there are none.
  double excess = 0;

  /// Do its own figures keep their limits?
  bool keeps_figures() const { return excess <= 0; }
};

/// Is a value within its limit? A limit that was converted, as from that of an epoch, may have
/// lost its last digit to rounding. What is not known (NaN) holds none.
inline bool holds(double value, double limit) {
  constexpr double rounding = 1e-12;
  return value <= limit * (1 + rounding);
}

/// What is to be small (or, for the last two, large).
enum class Objective {
  time,         ///< minibatch time, ms (per sample with `per_sample`); for inference t_in
  energy,       ///< energy of a minibatch, J (per sample with `per_sample`)
  power,        ///< largest power of the roles, W
  latency,      ///< peak latency, ms; of two inferences the larger share of its budget
  throughput,   ///< training minibatches (samples with `per_sample`) per second, θ = n·α/bs
  minibatches,  ///< training minibatches per window, n (the paper's)
};
const char* objective_name(Objective objective);
Result<Objective> parse_objective(const std::string& text);
/// Is what it counts trained minibatches, of which more is better?
bool counts_training(Objective objective);

/// One family of jobs. A role with an arrival rate serves requests; one without trains.
/// `device`, `batch_size`, `power_total`, `cost` and `prior` are what predictors are told of it
/// beside its readings.
struct Role {
  std::string workload;
  Phase phase = Phase::train;
  double rate_hz = 0;             ///< α, requests per second
  double latency_ms = unlimited;  ///< L, budget of the peak latency
  bool offline = false;           ///< an inference without arrivals: one minibatch after the other
  std::string device = "";        ///< the board's name, as tables have it; "" when unknown
  double batch_size = 0;          ///< of its minibatches, where that is no axis; 0: not known
  std::string power_total = "";   ///< which total its power is; "" when unknown
  std::optional<Cost> cost = {};  ///< of its network, where somebody counted it
  std::shared_ptr<const WorkloadTable> prior = {};  ///< as a simulation of the board has it

  bool serves() const { return rate_hz > 0; }
};

/// What a table says of its workload; it neither serves nor has limits yet.
Role role_of(const WorkloadTable& table);
/// A table over the axes of `space` that is of this role and has no rows yet.
WorkloadTable empty_table(const Role& role, const Space& space);

struct Budgets {
  double power_w = unlimited;   ///< B, on the largest power of the roles
  double time_ms = unlimited;   ///< on the minibatch (or sample) time of a training
  double energy_j = unlimited;  ///< on the minibatch (or sample) energy of a training
  double slowdown = unlimited;  ///< on Problem::slowdown(): 1.05 is 5 % more time than the default
};

enum class Constraint { none, power, time, energy, slowdown, latency, arrival_rate, figure };
const char* constraint_name(Constraint constraint);  ///< "power", "arrival rate", …

/// Samples that a minibatch of an epoch has in the mean, as its last one may be partial. `samples`:
/// of an epoch; 0: many.
double samples_per_minibatch(double batch, double samples);

/// One to two roles, one power mode for all of them (or one for each, with `separate_modes`).
/// training: one role without rate · inference: one with · concurrent: training then inference ·
/// two-inference: two with.
struct Problem {
  std::shared_ptr<const Candidates> candidates;
  std::vector<Role> roles;
  Objective objective = Objective::time;
  Budgets budgets;
  bool per_sample = false;      ///< a training counts samples: its batch size is then an axis
  double samples = 0;           ///< … of an epoch, whose last minibatch may be partial; 0: many
  bool separate_modes = false;  ///< each role has a mode of its own …
  double switch_ms = 0;         ///< … and changing it takes this long, twice per window
  double switch_j = 0;          ///< … and costs this beside the power of its time (dynamic plans)
  /// What each mode of the candidates draws between batches, W; NaN: not known of that mode. Empty:
  /// the energy of a request counts its minibatch alone.
  std::vector<double> idle_w = {};
  /// What one gets without tuning, where one role has that; its time by compared_ms(), which is
  /// known once it was measured (History, with_usual()).
  std::optional<size_t> usual = {};
  double usual_ms = not_measured;
  /// Beside a training: how soon requests are answered where the scheduler serves them. The
  /// equations know no such choice: they count the latest that is in time.
  Preference preference = {};
  ClientMargin margin = {};     ///< of the latency budgets, where the scheduler serves
  bool published_wait = false;  ///< the papers' wait of a batch, bs/α in place of (bs−1)/α

  bool two_services() const { return roles.size() == 2 && roles[0].serves(); }
  bool concurrent() const { return roles.size() == 2 && !roles[0].serves() && roles[1].serves(); }
  bool needs_power() const;
  /// Time that a choice loses in each window to changing modes if it trains there: none where the
  /// roles share one.
  double lost_ms(std::span<const size_t> choice) const;
  /// The time from one batch of a serving role to the next, bs/α: what its minibatch may take.
  double window_ms(size_t role, double batch) const { return 1e3 * batch / roles[role].rate_hz; }
  /// How long the first request of a batch waits for the last one: (bs−1)/α, so that a single
  /// request waits for none; bs/α with `published_wait`.
  double wait_ms(size_t role, double batch) const {
    return published_wait ? window_ms(role, batch) : window_ms(role, batch - 1);
  }
  /// Energy of one request of a single service, J: of its share of a minibatch, and of the board
  /// between two batches where `idle_w` counts.
  double request_j(const Reading& reading, size_t candidate) const;
  /// What a training minibatch of this batch size counts as: 1, or its samples.
  double counts(double batch) const;
  /// Time of what is compared between candidates of one role: a training as it counts(), of a
  /// service a request.
  double compared_ms(double minibatch_ms, size_t candidate) const;
  /// The same against that of the default, as a factor; NaN while that is not known.
  double slowdown(double minibatch_ms, size_t candidate) const {
    return compared_ms(minibatch_ms, candidate) / usual_ms;
  }
  /// What a minibatch may take within the limit on the slowdown: nothing while the default's time
  /// is not known.
  double slowdown_cap_ms(size_t candidate) const;
};

/// Whose a limit is, as a person reads it: the workload, and which of two that are the same.
std::string role_name(const Problem& problem, size_t role);

/// Unit of a limit: "W", "ms", "J/sample", "requests/s", …
std::string unit_of(const Problem& problem, Constraint constraint);

/// A slowdown as people read it: 1.05 is 5 %.
inline double percent_of_slowdown(double slowdown) {
  return 100 * (slowdown - 1);
}
/// "slowdown against the default ≤ 5 %".
std::string slowdown_text(double slowdown);

/// "objective latency, power ≤ 30 W, net 60 requests/s with latency ≤ 800 ms": what is asked, as a
/// person reads it.
std::string describe(const Problem& problem);

/// Does a training or offline inference offer several batch sizes, so that samples are counted?
bool trains_in_several_batches(const Candidates& candidates, const std::vector<Role>& roles);

/// Is the request itself sound? Names zero rates, negative budgets, objectives that the problem has
/// no equation for, and budgets that contradict each other whatever the mode (Code::infeasible,
/// with the nearest value that could be met). `whole_batches`: a batch waits until all of its
/// requests have come, as the equations have it; a scheduler that serves what there is does not,
/// and a search that knows everything says itself what would do.
Status validate(const Problem& problem, bool whole_batches = true);

/// What a choice amounts to.
struct Outcome {
  double loss = unlimited;  ///< the objective, to be small (θ and n are negated)
  double power_w = 0;       ///< decides between equal losses: the larger of its roles
  /// … and between equal powers: the time of a training, t_in, ms; where training counts, the share
  /// of the window in use.
  double tie = 0;
  double minibatches = 0;  ///< n of a training beside a service: whole ones in a window
  bool feasible = false;
  double overshoot = unlimited;            ///< largest value ÷ limit − 1; NaN-free
  Constraint tightest = Constraint::none;  ///< the constraint with the largest overshoot

  /// Feasible before infeasible, then by loss, power and tie; among infeasible ones the nearer.
  bool better_than(const Outcome& other) const;
};

/// Share of the time that answering takes at the asked rates in these batches, by all services
/// `but` one; above 1 nothing keeps up.
double serving_load(const Problem& problem, std::span<const Reading> readings,
                    std::span<const double> batch, std::optional<size_t> but = {});

/// Readings of the choice, one candidate per role → what it amounts to.
Outcome outcome(const Problem& problem, std::span<const Reading> readings,
                std::span<const size_t> choice);

/// Training minibatches that fit beside one inference minibatch in a window, n ≥ 0; `window_ms` is
/// bs/α.
double minibatches_per_window(double window_ms, double infer_ms, double train_ms);

/// The objective as people read it (θ and n positive).
double objective_value(const Problem& problem, const Outcome& outcome);

}  // namespace flyball
