// Energy and throttling of a stretch of any length, summed up before its samples are overwritten.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sampling/throttling.h"

namespace flyball {

/// Of each power sensor and energy counter that a sampler reads, and of each total; throttling of
/// all sensors that tell it.
class EnergyLaps {
 public:
  /// The stretch begins at `begin_ns`. What is longer ago than `lap` (or a hundred periods of the
  /// slowest sensor) is summed up: a sampler keeps far more.
  EnergyLaps(const Sampler& sampler, int64_t begin_ns, Seconds lap = {1800});
  /// To be called from time to time while the sampler runs. The stretch ends at `until_ns` or
  /// later, where that is known so far.
  void look(int64_t until_ns = INT64_MAX);
  /// The stretch ends at `end_ns`; the sampler has stopped since, or taken samples.
  void end(int64_t end_ns);

  struct Sum {
    std::string name;
    Result<EnergyWindow> energy;  ///< errors as of energy_between(), total_between()
  };
  /// After end().
  std::vector<Sum> sensors() const { return sums(sensors_); }
  std::vector<Sum> totals() const { return sums(totals_); }
  /// Of one total, where it is known.
  std::optional<EnergyWindow> total(const std::string& name) const;
  /// As throttling_between().
  std::optional<std::vector<std::string>> throttling() const { return throttling_.told(); }

 private:
  struct Entry {
    std::string name;
    size_t index = 0;  ///< of a sensor
    std::optional<EnergyWindow> sum{};
    std::optional<Error> failed{};  ///< the newest error
    bool measured = false;          ///< in any lap
  };
  static std::vector<Sum> sums(const std::vector<Entry>& entries);
  void sum_up(int64_t until_ns);
  void sum_up_throttling(int64_t until_ns);

  const Sampler& sampler_;
  double lap_s_;
  int64_t begin_ns_, from_ns_;
  std::vector<Entry> sensors_, totals_;
  std::vector<size_t> tells_throttling_;  ///< sensors
  ThrottlingSum throttling_;
};

}  // namespace flyball
