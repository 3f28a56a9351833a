// Measures trials and keeps them, and recalls those that were measured under the same conditions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/trials/profiler.h"
#include "store/store.h"

namespace flyball {

/// The workload of one role, and which of its configurations are to be chosen from.
struct MeasuredRole {
  Profiler* profiler = nullptr;  ///< outlives those who measure with it
  std::vector<size_t> config;  ///< candidate of the problems' space → row of the profiler's space

  /// The candidate that one gets without tuning, where it may be chosen.
  std::optional<size_t> usual() const;
  /// The candidate of a row of the profiler's space.
  std::optional<size_t> candidate(size_t row) const;
};

/// Knows trials by candidate, as problems and searches do. The profiler, which counts in rows of
/// its own space, is asked by nobody else.
class Recorder {
 public:
  /// `store` may be null: nothing is kept. `run` is the store's run that the measurements belong
  /// to. `fresh` measures again what the store holds, but for what `run` itself has measured before
  /// it was interrupted.
  static Result<Recorder> open(MeasuredRole role, Store* store, std::optional<int64_t> run,
                               bool fresh);

  struct Recorded {
    size_t candidate = 0;
    size_t config = 0;  ///< row of the profiler's space
    Measurement measurement = {};
    bool from_store = false;
    std::optional<int64_t> run = {};  ///< of the store, that made it
    /// Why it was not made (Profiler::out_of_reach()): then it failed so, and is not kept.
    std::string set_aside = {};
  };
  /// All that the store holds of what may be chosen, in the order in which it was measured; the run
  /// reuses it from here on.
  Result<std::vector<Recorded>> recall();
  /// Measures, and keeps what was measured before this returns.
  Result<Recorded> measure(size_t candidate, bool repeated);
  /// A measurement of this candidate: the store's, else made and kept now, and given by the next
  /// measure(). For what must be known before a problem can be posed.
  Result<Measurement> look_ahead(size_t candidate);

  /// Why no earlier measurement of this workload on this board was taken over, where there are
  /// some. How many trials of this session were disturbed, and by whom (device/measuring.h).
  std::vector<std::string> notes() const;

  /// Why it cannot be made now (Profiler::out_of_reach()); "" where it can.
  std::string out_of_reach(size_t candidate) const;
  /// Called whenever a trial is about to be made, not read from the store.
  void on_begin(std::function<void()> listener) { on_begin_ = std::move(listener); }

  double measuring_seconds() const { return measuring_s_; }

 private:
  Recorder(MeasuredRole role, Store* store, std::optional<int64_t> run)
      : role_(std::move(role)), profiler_(role_.profiler), store_(store), run_(run) {}
  Status load(bool own_only);
  void mark_disturbed(const std::string& by, Measurement& measurement);
  Status take(const SameConditions& same, MeasurementFilter filter, bool own_only);
  Result<Recorded> make(size_t candidate, bool repeated);
  size_t times_read(size_t candidate);
  Recorded not_made(size_t candidate, const std::string& why) const;

  MeasuredRole role_;
  Profiler* profiler_;
  Store* store_;
  std::optional<int64_t> run_;
  std::vector<std::optional<size_t>> candidate_of_;  ///< row of the profiler's space → candidate
  std::map<size_t, std::vector<StoredMeasurement>> known_;  ///< by candidate, oldest first
  std::map<size_t, size_t> made_;     ///< how often it was measured here, by candidate
  std::map<size_t, Recorded> ahead_;  ///< measured by look_ahead() and not yet asked for
  std::function<void()> on_begin_;
  double measuring_s_ = 0;
  std::vector<std::string> notes_;
  size_t live_ = 0, disturbed_ = 0;  ///< trials that were measured, not read from the store
  std::string disturbed_by_;
};

}  // namespace flyball
