// What a record says of itself: where and when it was taken, of which sensors, what became of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Times of a record are whole ticks since it began.
inline constexpr int64_t ticks_per_s = 10'000;
inline constexpr int64_t second_ticks = ticks_per_s, minute_ticks = 60 * ticks_per_s;
inline constexpr int64_t ns_per_tick = 1'000'000'000 / ticks_per_s;
/// No record is longer, 100 years: ns of a tick cannot overflow.
inline constexpr int64_t most_ticks = int64_t{36'525} * 86'400 * ticks_per_s;
/// Nearest tick of a time in ns since the record began.
int64_t tick_of(int64_t ns);
/// The last multiple of `width` that is not later.
int64_t floor_to(int64_t tick, int64_t width);

/// One sensor, as it was recorded.
struct RecordChannel {
  SensorInfo info;
  double period_s = 0;  ///< between samples, as asked
  double step = 0;      ///< values are whole multiples of it, in the sensor's unit

  /// Is it power, or energy whose slope is power?
  bool tells_power() const;
  /// Read about once a second: kept in longer blocks.
  bool slow() const { return period_s >= 0.5; }
  /// Of summaries: of a counter of energy those are watts.
  double summary_step() const;
};

/// A channel of a sensor, with the step that its values have: that of its driver where it has one,
/// else far below what it resolves.
RecordChannel record_channel(const SensorInfo& info, double period_s);

/// A run of a store that was recorded.
struct RecordedRun {
  std::string store;    ///< identity of the store (store/store.h)
  std::string place;    ///< where it was
  int64_t number = 0;   ///< of the run
  std::string command;  ///< that made it

  bool operator==(const RecordedRun&) const = default;
};

/// Before anything is recorded, but for the runs.
struct RecordInfo {
  std::string command;      ///< what was typed
  std::string device;       ///< "host", "twin:orin_agx"
  std::string board;        ///< for people
  std::string provenance;   ///< "measured" or "simulated"
  std::string remarks;      ///< what of it is simulated; "" for nothing
  std::string started_utc;  ///< ISO 8601
  double started_unix_s = 0;
  double rate_hz = 0;         ///< of power
  uint64_t most_bytes = 0;    ///< bound of the file
  std::vector<Error> gaps{};  ///< what could not be recorded
  std::vector<RecordedRun> runs{};

  void starts_now();  ///< sets both times
};
Json recorded_runs_json(const std::vector<RecordedRun>& runs);
Json record_info_json(const RecordInfo& info);
/// Error: not such a document.
Result<RecordInfo> parse_record_info(const std::string& text);

/// A moment that somebody marked.
struct RecordMark {
  int64_t tick = 0;
  std::string name;
};

/// One channel over a second or a minute: four columns of a block.
struct RecordSummary {
  /// Tick: that of a whole second or minute, or where what was asked for begins within it.
  int64_t begin = 0;
  double least = 0, mean = 0, most = 0;
  double covered_s = 0;  ///< of it; what lacks is a gap

  bool operator==(const RecordSummary&) const = default;
};

}  // namespace flyball
