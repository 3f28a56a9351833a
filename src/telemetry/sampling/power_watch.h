// Power of a stretch of work: when it has settled, over updates that are new, with what throttled.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/units.h"
#include "space/measurement.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sampling/throttling.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Power has settled when its mean over the last stretch agrees with that of the stretch before:
/// within `tolerance`, or within two standard errors of their difference.
struct SettleRule {
  Seconds stretch{0.5};     ///< at least five updates of the source, too
  double tolerance = 0.02;  ///< a fraction
  bool settled(const std::vector<Trace>& traces, const std::string& total, int64_t begin_ns,
               int64_t now_ns) const;
};

/// Samples a list of sensors again and again, for one trial after the other. A counted window may
/// be of any length: every `lap` what was sampled is summed up, and no longer needed.
class PowerWatch {
 public:
  /// `wish` as in preferred_total(). Parts of that total are read every `interval`, other sensors
  /// at most ten times a second.
  explicit PowerWatch(SensorList sensors, const std::string& wish = "", Seconds interval = {0.01},
                      SettleRule rule = {}, Seconds lap = {300});
  ~PowerWatch();

  /// The total that is measured; "" when there is none.
  const std::string& total() const { return total_; }
  /// Why there is none; "" when there is one.
  const std::string& gap() const { return gap_; }

  /// Starts sampling anew and forgets what was before.
  Status begin();
  /// Has power settled since begin()? Looks at most ten times a second; true without sensors.
  bool settled();
  /// The counted window begins now.
  void count();
  /// New values in the counted window so far; looks at most twenty times a second.
  int updates();
  /// The power of the counted window so far, from whose end on the next one is counted: a run of
  /// any length is the sum of its laps. Errors as end().
  Result<PowerReading> lap();
  /// Ends sampling and gives the power of the counted window. Error `unavailable`: no sensor, no
  /// samples, or a gap in them.
  Result<PowerReading> end();
  /// What slowed the machine down since count(), in all laps, as throttling_between(). After end().
  std::optional<std::vector<std::string>> throttling() const { return throttling_.told(); }

 private:
  template <class Wanted>
  std::vector<Trace> traces_of(const Wanted& wanted, int64_t since_ns) const;
  std::vector<Trace> parts(int64_t since_ns) const;
  void count_from(int64_t time_ns);
  void sum_up();
  void take_laps();
  void end_laps();
  Result<PowerReading> reading() const;

  SensorList sensors_;
  std::string total_, gap_;
  Seconds interval_, lap_;
  SettleRule rule_;
  std::unique_ptr<Sampler> sampler_;
  std::mutex mutex_;  ///< guards what follows while laps are taken
  std::condition_variable ended_;
  bool end_ = false;
  int64_t begin_ns_ = 0, count_ns_ = 0, watched_ns_ = 0, next_look_ns_ = 0, next_count_ns_ = 0;
  bool settled_ = false;
  int updates_ = 0;
  std::optional<EnergyWindow> counted_;  ///< up to count_ns_
  Status failed_;                        ///< to measure a part of it
  ThrottlingSum throttling_;
  std::thread laps_;
};

}  // namespace flyball
