// One trial of a search as the session made it: the only type of a trial in answers, events, texts
// and documents.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/json_fwd.h"
#include "space/measurement.h"

namespace flyball {

struct Observation {
  size_t role = 0;       ///< of the problem
  size_t config = 0;     ///< row of the profiler's space of that role
  size_t candidate = 0;  ///< of the problem's space of that role
  Settings settings;     ///< of that row, axis by axis
  Measurement measurement;
  std::string reason;               ///< why it was asked for
  bool repeat = false;              ///< it was measured before
  bool verification = false;        ///< the answer, the default or what is advised, once more
  bool from_store = false;          ///< known from an earlier run under the same conditions
  std::optional<int64_t> run = {};  ///< of the store, that made it; nothing: it belongs to none
};

/// A trial that was asked for and not made, since only a reboot lets the board do it.
struct SetAside {
  size_t role = 0, candidate = 0;  ///< of the problem
  Settings settings;
  std::string reason;  ///< with the remedy
};

/// Provenance of a search's readings: of different kinds the weaker one. Failed trials do not
/// count.
Provenance provenance_of(std::span<const Observation> trials);

/// One entry of `profiled` (docs/json.md).
Json to_json(const Observation& trial);
/// One entry of `set_aside`.
Json to_json(const SetAside& trial);
/// "failed: out of memory", "12.5 ms", "12.5 ms 20 W".
std::string reading_text(const Observation& trial);
/// "the answer, measured once more (from the store)"
std::string reason_text(const Observation& trial);
/// "others kept 0.8 cores busy; accuracy 0.71": why its figures deserve doubt, and what it
/// reported.
std::string also_known(const Measurement& measurement);

}  // namespace flyball
