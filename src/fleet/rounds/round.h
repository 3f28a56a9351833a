// One synchronous round of federated training: which clients are asked, each in which mode.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fleet/rounds/population.h"
#include "fleet/rounds/selection.h"

namespace flyball {

struct RoundRules {
  double deadline_s = 0;
  std::optional<double> energy_j{};  ///< of all clients in a round
  std::optional<size_t> count{};     ///< clients at most
  double local_epochs = 1;           ///< over a client's samples in a round
  double straggling = 0.1;           ///< standard deviation of the logarithm of a round's slowness
};

/// A mode as rounds use it.
struct RoundMode {
  FleetMode mode;
  double step_s = 0, step_j = 0;  ///< of a minibatch
  double log_step_s = 0;
};
/// Modes from slow to fast, of which no faster one takes less energy; MAXN.
struct RoundModes {
  std::vector<RoundMode> modes;
  RoundMode maxn;
  double idle_w = 0;
};

struct Invitation {
  size_t client = 0;
  const RoundMode* mode = nullptr;
  double on_time = 0;   ///< how likely it is that it has answered by the deadline, if it answers
  double energy_j = 0;  ///< expected, if it runs to its end
};

/// What a round is decided with; kinds and rules do not change from round to round.
class RoundSetting {
 public:
  RoundSetting(const Population& population, const RoundRules& rules, double batch_size);

  const Population& population() const { return population_; }
  const RoundRules& rules() const { return rules_; }
  const RoundModes& modes_of(const RoundClient& client) const { return modes_[client.kind]; }

  /// Minibatches of a round, by the time that one takes beside its kind's.
  double work(const RoundClient& client) const;
  /// Expected, without what delays it in a round.
  double time_s(const RoundClient& client, const RoundMode& mode) const;
  /// Expected, transfer included.
  double energy_j(const RoundClient& client, const RoundMode& mode) const;
  /// The likelihood that it is done by the deadline: below least_on_time 0, above sure_on_time 1.
  double on_time(const RoundClient& client, const RoundMode& mode) const;
  Invitation invitation(size_t client, const RoundMode& mode) const;

  static constexpr double least_on_time = 0.05, sure_on_time = 0.999;

 private:
  const Population& population_;
  RoundRules rules_;
  double batch_size_;
  std::vector<RoundModes> modes_;
};

struct RoundChoice {
  std::vector<Invitation> invited;  ///< in the order of clients
  double progress = 0;              ///< expected, in samples
  double energy_j = 0;              ///< expected, if all run to their end
  double bound = 0;                 ///< no choice is expected to have more progress
  bool exact = false;               ///< none has

  double gap_pct() const { return bound > 0 ? 100 * (1 - progress / bound) : 0; }
};

enum class ModesAllowed { all, maxn };
/// The most expected progress: `gains` is what each client adds if it answers in time, 0 where it
/// cannot be asked.
RoundChoice choose_round(const RoundSetting& setting, std::span<const double> gains,
                         ModesAllowed allowed = ModesAllowed::all);

}  // namespace flyball
