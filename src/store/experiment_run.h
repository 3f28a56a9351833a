// One measured run of an experiment as the store keeps it: its settings are no trial's (media,
// clocks pinned or free, when caches are dropped), and it has figures of every epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "space/conditions.h"

namespace flyball {

struct ExperimentRun {
  std::string device{}, fingerprint{};     ///< as in Measurement
  std::optional<Conditions> conditions{};  ///< likewise
  std::string settings{};                  ///< JSON
  int repeat = 0;
  std::string figures{};         ///< JSON: what came of it
  int64_t id = 0;                ///< in the store
  std::optional<int64_t> run{};  ///< that made it; nothing: that one was deleted
  bool reused = false;           ///< taken over by the run that was asked about
};

/// Which of them; what is left open is not asked about.
struct ExperimentRunFilter {
  std::optional<int64_t> run{};
  std::optional<std::string> fingerprint{};
  bool own = false;  ///< only those that were made in this store, not collected into it
};

}  // namespace flyball
