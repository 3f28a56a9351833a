// The answer of a tune, or of a study: the best configuration of one workload against what one gets
// without tuning, and what is predicted of the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/answer.h"
#include "answers/idle_share.h"
#include "space/table.h"

namespace flyball {

/// What times and energies are compared per: a sample where the batch size varies, a run where a
/// program marks no minibatches.
enum class Per { minibatch, sample, run };
const char* per_name(Per per);  ///< "minibatch", …

/// One configuration as the answer shows it: measured where it was, else predicted. Bounds of the
/// 90 % interval are NaN where the spread is not known; the time of a program that marks nothing is
/// that of its whole run.
struct Configuration {
  double minibatch_ms = 0, time_lo = 0, time_hi = 0;
  double power_w = 0, power_lo = 0, power_hi = 0;  ///< NaN where power is not known
  Provenance provenance = Provenance::predicted;

  double minibatch_j() const { return power_w * minibatch_ms * 1e-3; }
  /// Time and power err independently for all that is known: the bounds are those of both at once.
  double joules_lo() const { return time_lo * power_lo * 1e-3; }
  double joules_hi() const { return time_hi * power_hi * 1e-3; }
};

/// A row of a table, as tabled.
struct TableRow {
  size_t config = 0;
  double minibatch_ms = 0;
  double power_w = 0;  ///< NaN where it is not known
  Provenance provenance = Provenance::table;
};

/// The optimum of a table whose every row is known, for comparison.
struct Oracle {
  std::optional<TableRow> raw;     ///< over all rows; nothing when none is feasible
  std::optional<TableRow> robust;  ///< without rows whose power was probably read too early
  std::vector<size_t> excluded;    ///< configurations of those rows
};

/// Predicted against measured for a profiled configuration, predicted without its own reading.
struct HeldOut {
  size_t config = 0;
  Configuration predicted;
};

struct TuneResult : SearchAnswer {
  Space space;
  size_t default_config = 0;
  std::string default_reason;
  double samples = 0;       ///< of an epoch; 0 when unknown
  std::string budget_span;  ///< "epoch", "minibatch" or "run": what time and energy budgets cover
  Per per = Per::minibatch;
  std::vector<Configuration> configurations;  ///< one per row of the space
  size_t whole_space = 0;  ///< configurations there are, where `space` holds but some of them
  std::vector<HeldOut> held_out;
  std::vector<size_t> front;  ///< measured and predicted, over time and power (or energy)
  std::optional<size_t> choice;
  std::optional<double> gap;  ///< where one was asked for: by what share more could be gained
  std::optional<Oracle> oracle;
  std::optional<IdleShare> idle;  ///< of the choice's power, where the store knows it

  Objective objective() const { return request.objective.value_or(Objective::time); }
  /// Configurations to choose from.
  size_t offered() const { return whole_space > 0 ? whole_space : space.size(); }
  /// Minibatches of an epoch at this configuration; 0 when the samples are not known.
  double minibatches_per_epoch(size_t config) const;
  /// Samples of a whole minibatch at this configuration; 0 when that is not known, or there are
  /// none.
  double batch_size(size_t config) const;
  /// Samples of a minibatch in the mean of an epoch, which sample_ms is over; NaN when not known.
  double samples_of(size_t config) const;
  /// What its minibatch figures are divided by to be compared: 1, or the samples.
  double counted(size_t config) const { return per == Per::sample ? samples_of(config) : 1; }
  /// Its readings that did not fail, in the order in which they were made.
  std::vector<const Measurement*> readings(size_t config) const;
};

/// "objective time, power ≤ 30 W, epoch ≤ 4 s, accuracy ≥ 0.7, until a gap of 2 %, for 10 min":
/// what was asked, as a person reads it. Of a server the objective is a figure of its load.
std::string describe(const TuneResult& result);
/// What was reported at a configuration: medians of its trials.
Figures figures_of(const TuneResult& result, size_t config);

}  // namespace flyball
