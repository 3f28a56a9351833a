// What a person asks of a search, whichever question it is.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "answers/figure_limit.h"
#include "base/option_name.h"
#include "problem/problem.h"

namespace flyball {

/// What every request of a search has: how to search, and what trials may cost.
struct SessionOptions {
  std::string strategy = "flyball";
  std::string predictor = "auto";
  size_t profiles = 10;             ///< at most so many, as Ledger::profiles() counts them
  double gap = 0;                   ///< end when no more than this share could be gained; 0: never
  double time_limit_s = unlimited;  ///< ask for no more trials after this wall time
  bool profiles_asked = false;      ///< by the user: then no strategy but brute-force profiles more
  uint64_t seed = 1;
  bool fresh = false;  ///< measure again what the store holds, but for what this very run measured
  bool verify = true;  ///< measure the answer once more where repeats differ …
  bool against_default = false;  ///< … and the default, which the answer is told against
  std::vector<WorkloadTable> references;
  std::vector<FigureLimit> limits;               ///< on what the trials report of themselves
  const std::atomic<bool>* cancelled = nullptr;  ///< looked at before each trial; may be null
  Caller caller = Caller::command_line;          ///< whose names options have in messages
  std::string command;                           ///< as it was typed, for the record
};

/// The keys of `request` that every request has; nothing that varies between equal requests.
nlohmann::ordered_json options_json(const SessionOptions& options);
/// Limits on figures, as requests have them.
nlohmann::ordered_json limits_json(std::span<const FigureLimit> limits);

}  // namespace flyball
