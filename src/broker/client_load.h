// What the CPU does for others than the broker's clients: interference that no turn keeps out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "telemetry/sensors/other_load.h"

namespace flyball {

/// Clients are known by the process that the kernel names at their socket; figures of it only, no
/// decision hangs on a number that another process may have later.
class ClientLoad {
 public:
  ClientLoad();
  void add(int pid);
  /// Reads what clients and all that they have started have used so far; of what has ended the last
  /// look counts. Takes some 20 µs a process.
  void look();
  /// Cores that neither this process nor clients kept busy, on average since this was made. Nothing
  /// where the kernel does not say.
  std::optional<double> other_cores() const;

 private:
  struct Use {
    double first_s = 0, now_s = 0;  ///< of the processor, when it was first and last seen
    bool lives = true;
  };
  void look_at(int pid, int depth);

  OtherLoad others_;  ///< than this process
  int64_t began_ns_;
  std::set<int> clients_;
  std::map<int, Use> uses_;  ///< by process
  double ended_s_ = 0;       ///< of those that have ended
};

}  // namespace flyball
