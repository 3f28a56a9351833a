// Turns a Trial into a Measurement: live, or from a table. Nothing above can tell which.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "boards/preset.h"
#include "space/cost.h"
#include "space/measurement.h"
#include "space/space.h"

namespace flyball {

struct WorkloadTable;

/// Which modes of a board a search chooses from (chosen_modes.h).
struct KeptModes {
  std::string asked{};               ///< "all", "paper", "50"
  size_t kept = 0, of = 0;           ///< modes
  std::optional<uint64_t> seed{};    ///< of a sample
  std::vector<std::string> notes{};  ///< what of the published grid the board does not list
};

/// What a profiler offers to choose from.
struct ProfilerInfo {
  std::string device;        ///< name of the board, as in tables
  std::string device_title;  ///< for people
  std::string fingerprint;  ///< of the board; with `conditions`: equal ones mean comparable numbers
  Conditions conditions;    ///< dataset, libraries, environment, program, power sensor
  Provenance provenance = Provenance::measured;
  Accepted accepted;  ///< trials that fits take besides those measured
  std::string workload;
  Phase phase = Phase::train;
  std::string power_total;     ///< which total power is; "" where there is none
  std::string power_gap;       ///< why there is no power; "" where there is some
  std::string power_remark{};  ///< how its total compares with others; "" where that is not known
  /// Axes and sensors that are missing, each with its remedy; what of a table was merged.
  std::vector<std::string> gaps;
  Settings job;                  ///< fixed run settings, e.g. batch_size 16
  std::optional<Cost> cost;      ///< of its network, where somebody counted it
  double samples_per_epoch = 0;  ///< 0 when unknown
  double trial_cap_s = 0;        ///< time cap of a live trial; 0 where there is none
  bool live = false;             ///< do repeats differ?
  bool told = false;             ///< measured by somebody else, who is busy on this machine
  /// Has its default the highest value of each axis of the board (MAXN), those not chosen counted?
  bool default_is_highest = false;
  bool program = false;  ///< the user's own, whose trials may be whole runs (Measurement)
  std::optional<KeptModes> modes{};  ///< nothing where nobody chose among them
  Presets presets{};  ///< of the board, as modes of its axes; a live board's file may name others
};

/// How a live trial stands, every tenth of a second or so.
struct TrialSample {
  size_t minibatches = 0;   ///< counted so far; 0 while it warms up
  double minibatch_ms = 0;  ///< the last one, end to end
};
using TrialListener = std::function<void(size_t config, const TrialSample&)>;

/// Tells a listener at most ten times a second.
class SamplePublisher {
 public:
  void listen(TrialListener listener) { listener_ = std::move(listener); }
  void begin(size_t config) {
    config_ = config;
    next_ns_ = 0;
  }
  void tell(size_t minibatches, double minibatch_ms) {
    if (!listener_ || monotonic_ns() < next_ns_) return;
    next_ns_ = monotonic_ns() + 100'000'000;
    listener_(config_, {minibatches, minibatch_ms});
  }

 private:
  TrialListener listener_;
  size_t config_ = 0;
  int64_t next_ns_ = 0;
};

class Profiler {
 public:
  virtual ~Profiler() = default;
  virtual const ProfilerInfo& info() const = 0;
  /// The configurations that may be measured: board and run axes together.
  virtual const Space& space() const = 0;
  /// Index in space() of what one gets without tuning.
  virtual size_t default_config() const = 0;
  /// Why that one is the default, in words.
  virtual std::string default_reason() const = 0;
  /// The table that it reads, with those rows, too, that nobody chose; null: none.
  virtual const WorkloadTable* table() const { return nullptr; }
  /// Measures one configuration. A trial that fails (board error, out of memory) is a Measurement
  /// whose `failure` says why; an Error means that nothing can be measured at all.
  virtual Result<Measurement> measure(size_t config) = 0;
  /// Why this configuration cannot be tried before the board is rebooted, with the remedy; "" where
  /// nothing of it is known (Device::out_of_reach()).
  virtual std::string out_of_reach(size_t) const { return ""; }
  /// The next measure() of this configuration is its `number`-th trial (from 0), those that a store
  /// answered counted: whoever draws noise draws that of this one.
  virtual void next_repeat(size_t, size_t) {}
  /// Whom to tell how a live trial goes on, in the thread of measure(); empty: nobody. Trials that
  /// take no time tell nothing.
  virtual void on_sample(TrialListener) {}
};

}  // namespace flyball
