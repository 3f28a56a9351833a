// What the modes of a table say of energy, one case for each workload, phase and batch size: is the
// highest mode (MAXN) the one with the least, and what does the best one save at what slowdown?
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "roofs/board_roofs.h"
#include "space/table.h"

namespace flyball {

/// Power that lies so much below what its neighbours let expect is a reading to doubt, a fraction.
inline constexpr double doubtful_power = 0.25;
/// Rows whose power is such a reading (predict/contradicted.h).
std::set<size_t> doubtful_rows(const WorkloadTable& table);
/// A mode that takes no more than this longer than the highest one is "about as fast".
inline constexpr double about_as_fast = 0.05;

/// One mode of a case, per minibatch.
struct ModeFigures {
  Settings mode;
  double ms = 0, power_w = 0;
  bool doubted = false;     ///< one of doubtful_rows()
  bool suspicious = false;  ///< one of suspicious_power()

  double joules() const { return power_w * ms * 1e-3; }
};

struct EnergyCase {
  std::string workload;
  Phase phase = Phase::train;
  double batch_size = 0;  ///< 0: the table does not say
  size_t modes = 0;       ///< with power
  ModeFigures highest{};  ///< the highest of each board axis
  ModeFigures least{};    ///< least energy
  ModeFigures robust{};   ///< least energy without rows of suspicious_power()
  /// Least energy of those about as fast as the highest without doubted ones; else the highest.
  ModeFigures near{};
  std::vector<ModeFigures> figures{};  ///< of all of them
  double agreement = 0;  ///< Spearman's rank correlation of time and energy over the modes

  double saving() const { return 1 - least.joules() / highest.joules(); }
  double robust_saving() const { return 1 - robust.joules() / highest.joules(); }
  double slowdown() const { return least.ms / highest.ms; }
  double near_saving() const { return 1 - near.joules() / highest.joules(); }
  /// Why the case deserves doubt; "" where nothing says so.
  std::string doubt() const;
};
/// Batch sizes without power or without the highest mode have no case.
std::vector<EnergyCase> energy_cases(const WorkloadTable& table);
Json case_json(const EnergyCase& one);
Json figures_json(const ModeFigures& mode);

/// Time-efficient (compute-bound) implies energy-efficient (at least half of the best FLOP per
/// joule) in a mode where the energy balance ε_mem/(ε_flop + π0·τ_flop) is no higher than the time
/// balance: Choi et al., "A roofline model of energy" (IPDPS 2013), as Pagoda asks it.
struct BalanceVerdict {
  size_t modes = 0, holds = 0;             ///< modes whose constants are known; where it holds
  double time_low = 0, time_high = 0;      ///< FLOP per byte
  double energy_low = 0, energy_high = 0;  ///< FLOP per byte
};
BalanceVerdict balance_verdict(const BoardRoofs& roofs);
Json balance_json(const BalanceVerdict& verdict);

/// The answers to the three questions, in words with their numbers.
std::vector<std::string> verdicts(std::span<const EnergyCase> cases, const BalanceVerdict& balance);

}  // namespace flyball
