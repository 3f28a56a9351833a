// What every answer of a search says, whichever question was asked: a field that all of them are to
// have is added here, with its key in search_json().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/infeasible.h"
#include "answers/observation.h"
#include "answers/presets.h"
#include "answers/request.h"
#include "answers/reused.h"
#include "base/json_fwd.h"

namespace flyball {

/// Version of the documents that `--json` prints and the store keeps (answers/json_version.h).
inline constexpr int json_schema = 2;

/// Tune (tune_result.h), plan (plan.h) and dynamic plan (dynamic_answer.h) are made of it.
struct SearchAnswer {
  Request request;
  std::vector<ProfilerInfo> workloads;  ///< that it is about, in the order of its roles
  std::vector<Observation> profiled;    ///< every trial in its order
  std::vector<SetAside> set_aside;
  std::vector<PresetAnswer> presets;        ///< of the board; empty: none, or not known
  std::vector<BrokenLimit> default_breaks;  ///< limits that the default breaks
  std::optional<Error> infeasible;          ///< why there is no choice
  Remedies remedies;                        ///< what would do, by the options of the caller
  std::string stopped;                      ///< why the search ended
  std::vector<std::string> notes;
  std::optional<int64_t> run;  ///< its number in the store
  std::string started_utc;
  double seconds = 0;      ///< wall time of the whole run
  double own_seconds = 0;  ///< without the trials
  size_t profiles = 0;     ///< that the question cost, as History::profiles() counts them
  Provenance rows = Provenance::measured;  ///< of a table, where all of its rows were read

  /// Where all of them run.
  const ProfilerInfo& board() const { return workloads.front(); }
  /// Distinct ones, of all roles, whoever made their trials.
  size_t configurations_profiled() const;
  /// How the readings are known that it rests on: those of the trials, and rows.
  Provenance known() const { return std::max(rows, provenance_of(profiled)); }
  /// Live trials that earlier runs made; their age is that at the start of this one.
  std::vector<Reused> reused() const;
  void refuse(Refusal refusal);
};

/// "10 of 20 configurations profiled in 31.5 s", or whose trials they are and how old.
std::string effort_text(const SearchAnswer& answer, size_t offered);
/// "power is not available on this machine (`flyball doctor` says why)", or that a table has none;
/// "" where there is power.
std::string power_notice(const ProfilerInfo& profiler);

/// The keys with which every answer begins: its version, what was asked, and where.
Json asked_json(const SearchAnswer& answer);
/// The keys that every answer has (docs/json.md). `offered`: configurations to choose from.
Json search_json(const SearchAnswer& answer, size_t offered);
/// {"asked", "kept", "of", "seed", "notes"}: which modes were chosen among; null where that was not
/// asked.
Json modes_json(const std::optional<KeptModes>& modes);

}  // namespace flyball
