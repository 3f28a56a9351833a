// Reads many sensors, each at its own rate, on absolute deadlines.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

class Sampler;

/// Who takes over what is sampled while it is, such as a record of it.
class SamplingListener {
 public:
  virtual ~SamplingListener() = default;
  /// The sampler, which outlives what the listener does with it, starts now. Its error is that of
  /// start().
  virtual Status begin(const Sampler& sampler) = 0;
  /// It has stopped: no sample comes any more.
  virtual void end() = 0;
};

/// One thread per source (driver), so that a slow one does not delay another. Deadlines are
/// absolute monotonic times: they do not drift, and those that pass while we are late are counted
/// as missed, never caught up with a burst.
class Sampler {
 public:
  /// The highest rate a sensor may be read at.
  static constexpr double kMaxHz = 1000;

  Sampler();
  ~Sampler();  ///< stops
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Adds a sensor before start(); returns its index. A counter that may go round within the period
  /// is read as often as it takes to notice. Keeps the newest `keep` of samples, bounded by 4
  /// million. Errors: already started; a period out of [1 ms, 1 h].
  Result<size_t> add(SensorPtr sensor, Seconds period, Seconds keep = {7200});
  /// Adds all sensors of a list; errors as above.
  Status add_all(const SensorList& list, Seconds period);
  /// Before start(): who is told of it; null for nobody.
  void tell(SamplingListener* listener) { listener_ = listener; }
  /// Starts the threads; each takes its first samples at once.
  Status start();
  /// Takes a last sample of every sensor and ends the threads. Traces stay.
  void stop();
  bool running() const;
  /// Reads every sensor once more, now, in the calling thread: the edge of a window. Takes as long
  /// as the slowest sensor.
  void sample_now();

  size_t size() const;
  /// A copy of what there is of sensor `index`, at any time.
  Trace trace(size_t index) const;
  std::vector<Trace> traces() const;
  /// Copies of what there is between two times, and of a little more on either side: enough to tell
  /// how often a source updates. Statistics of repeats are of these samples.
  Trace trace(size_t index, int64_t begin_ns, int64_t end_ns) const;
  std::vector<Trace> traces(int64_t begin_ns, int64_t end_ns) const;
  /// Samples alone, later than one time and up to another.
  std::vector<Sample> samples(size_t index, int64_t after_ns, int64_t until_ns) const;
  const SensorInfo& info(size_t index) const;
  double period_s(size_t index) const;
  /// Newest sample of a sensor; false while there is none.
  bool newest(size_t index, Sample& sample) const;
  /// CPU seconds that the threads have used so far.
  double cpu_seconds() const;

 private:
  struct Channel;
  Trace described(const Channel& channel, std::vector<Sample> samples) const;
  class Worker;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::unique_ptr<Worker>> workers_;
  SamplingListener* listener_ = nullptr;
  bool started_ = false, stopped_ = false;
  double stopped_cpu_seconds_ = 0;
};

}  // namespace flyball
