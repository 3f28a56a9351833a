// Power and the client's own work of what counts of a load: from the end of the warm-up to the last
// answer, and not while nothing but requests that hang is waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/power_meter.h"

namespace flyball {

class CountedLoad {
 public:
  /// `meter` null: power is not asked for.
  explicit CountedLoad(PowerMeter* meter) : meter_(meter) {}

  /// The warm-up is over.
  void begin(int64_t now_ns);
  bool begun() const { return begun_ns_ >= 0; }
  /// The load has ended, or another answer has come since: what was up to here counts.
  void reach(int64_t now_ns);
  bool reached() const { return reached_ns_ >= 0; }
  /// Nothing is waited for any more. Where nothing was reached all counts that was up to here.
  void end(int64_t now_ns);

  /// Share of one core that the thread which calls this took.
  double client_cpu() const;
  /// Once it has ended; nothing: why stands in power_gap().
  const std::optional<PowerReading>& power() const { return power_; }
  const std::string& power_gap() const { return gap_; }

 private:
  void take(const Result<PowerReading>& lap);

  PowerMeter* meter_;
  int64_t begun_ns_ = -1, reached_ns_ = -1, lap_ns_ = -1;
  int64_t cpu_from_ns_ = 0, cpu_ns_ = 0;
  std::optional<PowerReading> power_;
  std::string gap_;
};

}  // namespace flyball
