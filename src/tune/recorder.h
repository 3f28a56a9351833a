// Measures a trial, or answers it from the store when it was measured under the same conditions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/trials/profiler.h"
#include "store/store.h"

namespace flyball {

class Recorder {
 public:
  /// `store` may be null: nothing is kept. `run` is the store's run that the measurements belong
  /// to. `fresh` measures again what the store holds, but for what `run` itself has measured before
  /// it was interrupted.
  static Result<Recorder> open(Profiler& profiler, Store* store, std::optional<int64_t> run,
                               bool fresh);

  struct Recorded {
    Measurement measurement;
    bool from_store = false;
    std::optional<int64_t> run = {};  ///< of the store, that made it
    /// Why it was not made (Profiler::out_of_reach()): then it failed so, and is not kept.
    std::string set_aside = {};
  };
  /// The k-th call for a configuration takes the k-th stored measurement of it, so that a resumed
  /// run sees what the interrupted one saw. What is measured is kept before this returns.
  Result<Recorded> measure(size_t config, bool repeated);
  /// What the next measure() of this configuration will give: measured and kept now, where the
  /// store does not know it. For what must be known before a problem can be posed.
  Result<Measurement> look_ahead(size_t config);

  /// The first stored measurement of each configuration that measure() was not asked for.
  std::map<size_t, const Measurement*> not_asked() const;

  /// Why no earlier measurement of this workload on this board was taken over, where there are
  /// some. How many trials of this session were disturbed, and by whom (device/measuring.h).
  std::vector<std::string> notes() const;

  /// Called with the configuration whenever one is about to be measured, not read from the store.
  void on_begin(std::function<void(size_t config)> listener) { on_begin_ = std::move(listener); }

  double measuring_seconds() const { return measuring_s_; }

 private:
  Recorder(Profiler& profiler, Store* store, std::optional<int64_t> run)
      : profiler_(&profiler), store_(store), run_(run) {}
  Status load(bool own_only);
  void mark_disturbed(const std::string& by, Measurement& measurement);
  Status take(const SameConditions& same, MeasurementFilter filter, bool own_only);
  Result<Recorded> make(size_t config, size_t call, bool repeated);
  Recorded not_made(size_t config, const std::string& why) const;

  Profiler* profiler_;
  Store* store_;
  std::optional<int64_t> run_;
  std::map<size_t, std::vector<StoredMeasurement>> known_;  ///< by configuration, oldest first
  std::map<size_t, size_t> calls_;
  std::map<size_t, Recorded> ahead_;  ///< measured by look_ahead() and not yet asked for
  std::function<void(size_t)> on_begin_;
  double measuring_s_ = 0;
  std::vector<std::string> notes_;
  size_t live_ = 0, disturbed_ = 0;  ///< trials that were measured, not read from the store
  std::string disturbed_by_;
};

}  // namespace flyball
