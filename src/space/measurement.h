// What came of a trial, and how it is known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/axis.h"
#include "space/conditions.h"

namespace flyball {

/// Where a number comes from.
enum class Provenance { measured, table, simulated, predicted };
const char* provenance_name(Provenance provenance);
Result<Provenance> parse_provenance(const std::string& text);

/// How a measurement came to be, whatever its numbers are (Provenance).
enum class Origin {
  live,       ///< a trial of ours
  told,       ///< a trial of a program that reported it (a study)
  table,      ///< what a table answers, where repeats come to one
  imported,   ///< a row of a table that was imported
  simulated,  ///< a trial of a simulated board
};
const char* origin_name(Origin origin);
Result<Origin> parse_origin(const std::string& text);

/// What its times are those of.
enum class MeasuredSpan {
  minibatch,
  whole_run,  ///< of a program that marks no minibatches
};
const char* span_name(MeasuredSpan span);
Result<MeasuredSpan> parse_span(const std::string& text);

/// Numbers that a fit takes for measurements besides those measured: only kinds that somebody has
/// asked for.
struct Accepted {
  bool simulated = false, predicted = false;
  bool operator()(Provenance provenance) const;
  bool operator==(const Accepted&) const = default;
};

/// Times of one minibatch, in ms. End-to-end ≥ stall + compute; the rest is overhead.
struct MinibatchTimes {
  double stall_ms = 0;    ///< waited for data
  double compute_ms = 0;  ///< forward, backward, step (or forward alone)
  double e2e_ms = 0;      ///< wall time from one minibatch's end to the next one's
  int epoch = 0;          ///< from 0; the first epoch fills caches and is kept apart
  bool operator==(const MinibatchTimes&) const = default;
};

/// One distinct update of a power sensor.
struct PowerSample {
  double t_s = 0;  ///< since the trial began
  double power_w = 0;
  bool operator==(const PowerSample&) const = default;
};

/// Power over the measured window, after it has settled.
struct PowerReading {
  double mean_w = 0;
  double noise = 0;   ///< relative standard error of the mean, a fraction
  std::string total;  ///< "module", "monitor", "package", a rail, …
  int samples_wanted = 0;
  int samples_got = 0;
  int distinct_updates = 0;  ///< sensor updates seen; repeats do not count
  double energy_j = 0;       ///< of the window
  double window_s = 0;
  bool operator==(const PowerReading&) const = default;
};

/// `noise` of a measurement that has too few blocks to know it.
inline constexpr double unknown_noise = 1;
/// What a program reported of itself (flyball_report()), the last of each name; "memory", of
/// programs: the most that was resident, in bytes.
using Figures = std::map<std::string, double>;

/// What is no figure of a program's: the time against that of the default, which Flyball makes.
inline constexpr const char* slowdown_figure = "slowdown";
/// Where such a name was reported.
Error reported_slowdown();

/// An axis of the trial's mode as it read while the trial was counted, in its unit.
struct SeenClock {
  std::string axis;
  double mean = 0, least = 0;
  bool operator==(const SeenClock&) const = default;
};

/// What made a trial slower than its board is.
struct Interference {
  std::string by{};                 ///< who else measured on this machine (device/measuring.h)
  std::optional<double> cores{};    ///< that other processes kept busy; nothing: not known
  std::optional<bool> throttled{};  ///< nothing: nobody looked (no sensor of it, clocks not told)
  bool operator==(const Interference&) const = default;
};

/// Everything that is known of one trial.
struct Measurement {
  Trial trial;
  std::string device;
  std::string fingerprint;  ///< board, kernel and driver; of a table, its content
  /// What else must be equal; nothing where it was measured before conditions were kept.
  std::optional<Conditions> conditions;
  Provenance provenance = Provenance::measured;
  Origin origin = Origin::live;
  MeasuredSpan span = MeasuredSpan::minibatch;
  double minibatch_ms = 0;  ///< end to end: median over blocks (profile/trials/stopping.h)
  double noise = 0;         ///< relative noise of minibatch_ms, a fraction, or unknown_noise
  double stall_ms = 0, compute_ms = 0;      ///< means of the counted minibatches
  MinibatchTimes first;                     ///< the first minibatch, kept apart
  std::vector<MinibatchTimes> minibatches;  ///< the counted ones
  std::optional<PowerReading> power;
  std::string power_gap;  ///< why there is no power, when there is none
  Figures figures;
  std::string stop_reason;  ///< the stopping rule that was met
  double settle_s = 0, warm_up_s = 0, total_s = 0;
  std::vector<SeenClock> clocks;  ///< empty where the board does not tell them
  Interference interference;
  bool repeated = false;  ///< asked again, since neighbours contradicted it
  std::string failure;    ///< why it failed; "" when it did not
  std::string started_utc;
  uint64_t seed = 0;
  std::vector<PowerSample> power_trace;  ///< what the sensor said, where it was kept

  bool operator==(const Measurement&) const = default;

  bool failed() const { return !failure.empty(); }
  bool whole_run() const { return span == MeasuredSpan::whole_run; }
  std::optional<double> power_w() const {
    return power ? std::optional<double>(power->mean_w) : std::nullopt;
  }
  /// Energy of one minibatch in J, where there is power.
  std::optional<double> minibatch_j() const {
    return power ? std::optional<double>(power->mean_w * minibatch_ms * 1e-3) : std::nullopt;
  }
};

}  // namespace flyball
