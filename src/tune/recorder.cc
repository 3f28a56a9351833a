#include "tune/recorder.h"

#include <algorithm>

#include "base/clock.h"
#include "telemetry/sensors/other_load.h"

namespace flyball {

Result<Recorder> Recorder::open(Profiler& profiler, Store* store, std::optional<int64_t> run,
                                bool fresh) {
  Recorder recorder(profiler, store, run);
  if (store && (!fresh || run)) FLYBALL_CHECK(recorder.load(fresh));
  return recorder;
}

Status Recorder::load(bool own_only) {
  const ProfilerInfo& info = profiler_->info();
  MeasurementFilter filter;
  filter.device = info.device;
  filter.fingerprint = info.fingerprint;
  filter.workload = info.workload;
  filter.phase = info.phase;
  filter.provenance = info.provenance;
  if (own_only) filter.run = run_;
  FLYBALL_ASSIGN(auto stored, store_->measurements(filter));
  std::ranges::sort(stored, {}, &StoredMeasurement::id);
  const Space& space = profiler_->space();
  for (StoredMeasurement& known : stored) {
    if (own_only && known.reused) continue;
    const auto row = space.to_row(all_settings(known.measurement.trial));
    const auto config = row ? space.find(*row) : std::nullopt;
    // The job must agree in what is no axis of this space, too.
    if (!config) continue;
    Trial expected = space.trial(*config, info.workload, info.phase);
    expected.job.settings.insert(info.job.begin(), info.job.end());
    if (expected == known.measurement.trial) known_[*config].push_back(std::move(known));
  }
  return {};
}

Result<Recorder::Recorded> Recorder::measure(size_t config, bool repeated) {
  const size_t call = calls_[config]++;
  const auto known = known_.find(config);
  if (known != known_.end() && call < known->second.size()) {
    const StoredMeasurement& stored = known->second[call];
    if (run_) FLYBALL_CHECK(store_->reuse(*run_, stored.id));
    return Recorded{stored.measurement, true};
  }
  const Stopwatch watch;
  const OtherLoad others;
  if (on_begin_) on_begin_(config);
  FLYBALL_ASSIGN(Measurement measurement, profiler_->measure(config));
  measuring_s_ += watch.seconds();
  if (const auto cores = others.cores(); cores && profiler_->info().live)
    other_load_.push_back(*cores);
  measurement.repeated = repeated;
  if (store_) {
    FLYBALL_ASSIGN([[maybe_unused]] const int64_t id, store_->add_measurement(measurement, run_));
  }
  return Recorded{std::move(measurement), false};
}

}  // namespace flyball
