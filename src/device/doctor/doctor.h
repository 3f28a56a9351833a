// `flyball doctor`: what can be measured and set on this machine, and what to do where it cannot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "device/modes/board_report.h"

namespace flyball {

struct Capability {
  enum class State { available, missing, no_permission };
  std::string name;     ///< "power: RAPL", "CPU clocks: set", …
  std::string purpose;  ///< what Flyball would use it for
  State state = State::missing;
  std::string value;   ///< what is there: rails, clocks, versions; or why it is not there
  std::string remedy;  ///< what would make it available; "" when it is
};
const char* capability_state_name(Capability::State state);

struct DoctorOptions {
  std::filesystem::path root = "/";  ///< of /proc, /sys and /dev
  /// Also ask the kernel itself (performance counters, cachestat, affinity, libraries); false when
  /// `root` is a recorded tree.
  bool ask_kernel = true;
  std::vector<Capability> more;  ///< what only the caller knows, e.g. which LibTorch it has
};

/// Looks at everything once; changes nothing. Never fails: what cannot be looked at is missing.
std::vector<Capability> examine_machine(const DoctorOptions& options = {});

/// {"capabilities": [{name, purpose, state, value, remedy}], "power_measurable": bool} and the keys
/// of board_json().
Json doctor_json(const std::vector<Capability>& capabilities, const BoardReport& board);
/// As a person reads it: the board, then one block per capability, remedies below.
std::string doctor_text(const std::vector<Capability>& capabilities, const BoardReport& board);

}  // namespace flyball
