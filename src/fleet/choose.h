// Which boards of a fleet, each in which power mode, so that all finish together at least energy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "fleet/fleet_kind.h"

namespace flyball {

enum class FleetObjective { energy, time, power };
const char* fleet_objective_name(FleetObjective objective);
Result<FleetObjective> parse_fleet_objective(const std::string& text);

struct FleetLimits {
  std::optional<double> deadline_s{}, power_w{};
  std::optional<size_t> count{};  ///< boards that run: at most where they share, else exactly

  /// "deadline 1 h, power ≤ 100 W, at most 4 boards", or "exactly 4" where each does all the work.
  std::string text(bool each) const;
};

struct FleetQuestion {
  FleetTraining training;
  double epochs = 1;
  bool each = false;          ///< each board does all of the work; else they share it
  bool unused_idles = false;  ///< boards that do not run are on, and draw their idle power
  FleetObjective objective = FleetObjective::energy;
  FleetLimits limits{};

  double samples() const { return training.network.samples * epochs; }
  /// Of one board that does all of the work.
  double minibatches() const { return training.network.minibatches(training.batch_size) * epochs; }
};

/// Equal boards in one mode.
struct FleetGroup {
  size_t kind = 0, mode = 0, boards = 0;
  double samples = 0;     ///< of each of them
  double finished_s = 0;  ///< when each has done them
  double energy_j = 0;    ///< of all of them, until all boards have finished
};

struct FleetPlan {
  std::vector<FleetGroup> groups;
  size_t boards = 0;
  double time_s = 0;
  double power_w = 0;    ///< while all run
  double energy_j = 0;   ///< of all that is counted
  double waiting_j = 0;  ///< of it, of boards that compute nothing
};

/// What it would be without one of the limits.
struct WithoutLimit {
  std::string limit;  ///< "deadline", "power", "count"
  double value = 0;   ///< of the objective
};

struct FleetAnswer {
  FleetQuestion question;
  std::vector<FleetKind> kinds;  ///< in the order asked
  std::optional<FleetPlan> plan{};
  double value = 0;    ///< of the objective: J, s or W
  double bound = 0;    ///< none has less
  bool exact = false;  ///< none does better
  std::vector<WithoutLimit> without{};
  /// Where there is no plan: the least deadline and the least power that do, the other limits kept.
  std::optional<double> nearest_deadline_s{}, nearest_power_w{};
  std::optional<Error> infeasible{};
  std::vector<std::string> notes{};

  double gap_pct() const;
};

/// Errors: no kinds, the same one twice, fewer boards than `count`, idle power that is not known
/// but needed, samples that are not known.
Result<FleetAnswer> choose_fleet(FleetQuestion question, std::vector<FleetKind> kinds);

/// "4 of 6 boards finish together in 3 min 2 s, at 100 W and with 18.4 kJ; …": the answer, and
/// which limits bind.
std::string fleet_sentence(const FleetAnswer& answer);

Json to_json(const FleetAnswer& answer);

}  // namespace flyball
