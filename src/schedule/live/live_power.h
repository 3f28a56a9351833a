// Power of a run of any length, and whose it was.
#pragma once

#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/power_meter.h"
#include "schedule/serving_result.h"

namespace flyball {

/// Reads a meter lap by lap, once a second, from start() to stop(): while something is served, and
/// neither before nor after. The energy of a lap belongs to services and trainings by the share of
/// it that each had the accelerator for, idle power included; the rest is nobody's.
class LivePower {
 public:
  /// `snapshot` says how the run stands, from any thread, and outlives this.
  /// `told` hears of each lap: from when to when, and its mean power in W (NaN: not known).
  LivePower(std::unique_ptr<PowerMeter> meter, std::function<ServingResult()> snapshot,
            std::function<void(int64_t begin_ns, int64_t end_ns, double watts)> told = {},
            double lap_s = 1);
  ~LivePower();
  LivePower(const LivePower&) = delete;
  LivePower& operator=(const LivePower&) = delete;

  /// Serving begins now.
  void start();
  /// It has ended: what is drawn from here on is not of it. Once is enough.
  void stop();
  /// Mean power of the last lap, in W; NaN: not known.
  double now_w() const;
  /// Tells a result of now the energy of each service and training so far; since the last lap by
  /// its mean power.
  void tell(ServingResult& result) const;
  /// stop(), and tells the result its energy: the mean power of the laps that are known over its
  /// time, its parts alike. A note says what is not known where that is little; where it is more
  /// than known_power_share leaves, the energy stays as it was. Returns why it is not known; ""
  /// where it is.
  std::string end(ServingResult& result, std::vector<std::string>& notes);

 private:
  void laps();
  void take_lap();

  std::unique_ptr<PowerMeter> meter_;
  std::function<ServingResult()> snapshot_;
  std::function<void(int64_t, int64_t, double)> told_;
  double lap_s_;
  int64_t lap_ns_ = 0;  ///< when the present lap began
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::string gap_;      ///< why no lap is taken
  std::string lap_gap_;  ///< why the first one is not known of those that are not
  double now_w_ = std::numeric_limits<double>::quiet_NaN();
  ServingResult before_;               ///< at the end of the last lap
  double energy_j_ = 0, known_s_ = 0;  ///< of the laps that are known
  double unknown_s_ = 0;               ///< of the others
  double left_j_ = 0;                  ///< of those whose place others have
  std::vector<double> services_j_, trainings_j_;
  std::thread thread_;
};

}  // namespace flyball
