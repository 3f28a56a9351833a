// A run of `flyball broker`, from the mode that it begins in to the result.
#pragma once

#include "broker/broker.h"
#include "broker/broker_watch.h"
#include "schedule/serving/planned_run.h"

namespace flyball {

struct BrokerRequest {
  /// Who will come, by the names that they ask under, with its profiles: trainings and services of
  /// a plan; and the limits. Nobody named: modes are found by what is seen.
  ServeRequest expected{};
  PowerMode mode{};          ///< held all the time; empty: the mode stays, or is chosen
  TurnWatchOptions watch{};  ///< but for its budget
};

/// What a run needs of the world around it; the board outlives it.
struct BrokerSetup {
  const Board& board;
  std::unique_ptr<Device> knobs{};  ///< null: no mode can be set
  BoardInfo computing{};
  double hold_look_s = 10;  ///< how often is asked whether the mode is still set
  ProfileSource profiles{};
  TurnSockets sockets{};
  BrokerOptions options{};
  std::function<void(Broker&)> begins{};  ///< before the first turn; may be empty
};

/// Errors: a mode that cannot be set; those of planning. The board is put back in any case.
Result<BrokerResult> run_broker(BrokerRequest request, BrokerSetup setup);

/// A workload's name as a client's: what a name may not hold becomes "-".
std::string turn_name(const std::string& workload);

}  // namespace flyball
