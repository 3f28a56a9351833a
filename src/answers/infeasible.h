// Why a search ended without an answer, and which limit alone would do: as measured where that was
// measured, else as predicted with a margin.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "problem/margins.h"
#include "search/strategy.h"

namespace flyball {

/// A limit with which, all others kept, some choice is feasible.
struct RelaxedLimit {
  Constraint constraint = Constraint::none;
  size_t role = 0;               ///< whose latency or arrival rate
  double limit = 0, needed = 0;  ///< in unit_of(problem, constraint)
  bool predicted = false;
  std::vector<size_t> choice;  ///< which one
  bool trains = true;          ///< where training is wanted: there is room for some
};

struct Infeasibility {
  size_t measured = 0;   ///< choices that were measured
  size_t choices = 0;    ///< that the problem offers
  size_t predicted = 0;  ///< of those not measured: how many are predicted to meet every limit
  size_t profiles = 0;   ///< with so many one of them is expected to be found; 0: that is not so
  bool trains = true;    ///< as of RelaxedLimit: that one
  std::vector<RelaxedLimit> alone{};  ///< at most one for each limit
  std::vector<Margin> missed{};       ///< limits that the nearest measured choice misses
  /// What these would have to be, all together, for that choice; empty where that does not do.
  std::vector<RelaxedLimit> together{};
};

/// Of a search whose answer() is Code::infeasible; where training is wanted, what leaves room for
/// it, and of limits that leave none alone what serves all the same. A limit's predicted value is
/// given in place of the measured one where it is nearer; with it the choice is feasible at 95 % by
/// the predictions.
Infeasibility explain_infeasible(const Strategy& strategy);

/// How a limit is given on the command line: `value` there, plus `offset`, times `scale` is the
/// problem's limit.
struct LimitFlag {
  std::string flag, unit;  ///< "--time-budget", "s"
  double scale = 1;
  std::string span = "";  ///< "epoch": what it is a budget of, where that is more than a minibatch
  std::string figure = "";  ///< of an option that takes NAME=VALUE: "slowdown"
  double offset = 0;        ///< added to `value` before: a slowdown of 5 % is 1.05 times the time

  double typed(double limit) const { return limit / scale - offset; }
  double limit(double typed) const { return (typed + offset) * scale; }
};
/// Constraint::none: how the number of profiles is given.
using FlagOf = std::function<LimitFlag(Constraint, size_t role)>;

/// One thing to try, as it is typed.
struct Advice {
  std::string flag;
  double value = 0;  ///< rounded so that it still does
  std::string unit;
  Provenance provenance = Provenance::predicted;
  std::string workload = "";  ///< whose limit it is, where several have one of their own
  /// The option's value where it has one for each of two services: "33.4ms 60ms".
  std::string whole = "";
  std::string figure = "";  ///< of an option that takes NAME=VALUE
  /// Its time against that of the fastest measured, where time is to be small; 0: not known.
  double slowdown = 0;
  bool trains = true;  ///< as of RelaxedLimit
};

/// "--latency 33.4ms", "--latency 33.4ms 60ms", "--latency 33.4ms for net".
std::string typed_text(const Advice& one);
/// Those of one request: "--power-budget 15.2W and --latency 134ms".
std::string typed_together(const std::vector<Advice>& all);

/// The relaxed limits by their flags; `known` says how the readings are known that were measured.
std::vector<Advice> advice_of(const Strategy& strategy, const Infeasibility& why,
                              const FlagOf& flag_of, Provenance known);
/// Those that would do together, likewise.
std::vector<Advice> together_of(const Problem& problem, const Infeasibility& why,
                                const FlagOf& flag_of, Provenance known);

/// What would do instead of what was asked.
struct Remedies {
  std::vector<Advice> alone;     ///< each of them
  std::vector<Advice> together;  ///< all of them at once; empty where one alone does as much
};
/// The same in words: what was measured and predicted, which limits bind, what to try.
Error infeasible_error(const Problem& problem, const Infeasibility& why, const Remedies& remedies,
                       const FlagOf& flag_of);

/// Why there is no answer, and what would do.
struct Refusal {
  Error why_not;
  Remedies remedies = {};
};
/// Of a search that ended with `why_not`; without advice where nothing was measured completely.
Refusal refusal_of(const Strategy& strategy, Error why_not, const FlagOf& flag_of,
                   Provenance known);
/// `infeasible` of docs/json.md.
Json infeasible_json(const Error& why_not, const Remedies& remedies = {});

}  // namespace flyball
