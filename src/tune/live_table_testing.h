// For tests: a table that behaves as a live board does, with readings that a test may spoil.
#pragma once

#include <functional>
#include <map>

#include "profile/trials/table_profiler.h"

namespace flyball::testing_live {

/// Repeats differ as `spoil` says: it gets the configuration, how often that was measured before,
/// and the reading.
class LiveTable : public Profiler {
 public:
  using Spoil = std::function<void(size_t config, int before, Measurement&)>;

  LiveTable(const WorkloadTable& table, Spoil spoil = {})
      : table_(make_table_profiler(table)), info_(table_->info()), spoil_(std::move(spoil)) {
    info_.live = true;
    info_.provenance = Provenance::measured;
  }
  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return table_->space(); }
  size_t default_config() const override { return table_->default_config(); }
  std::string default_reason() const override { return table_->default_reason(); }
  const WorkloadTable* table() const override { return table_->table(); }
  void on_sample(TrialListener listener) override { samples_.listen(std::move(listener)); }
  Result<Measurement> measure(size_t config) override {
    samples_.begin(config);
    FLYBALL_ASSIGN(Measurement m, table_->measure(config));
    m.provenance = Provenance::measured;
    samples_.tell(1, m.minibatch_ms);
    const int before = measured_[config]++;
    if (spoil_) spoil_(config, before, m);
    return m;
  }
  /// Each takes so long at most, it says.
  void cap_trials(double seconds) { info_.trial_cap_s = seconds; }
  int measured(size_t config) const {
    const auto found = measured_.find(config);
    return found == measured_.end() ? 0 : found->second;
  }

 private:
  std::unique_ptr<Profiler> table_;
  ProfilerInfo info_;
  Spoil spoil_;
  SamplePublisher samples_;
  std::map<size_t, int> measured_;
};

/// Cores and GPU clocks; time falls and power rises smoothly with both. With `batches` it serves.
inline WorkloadTable smooth_table(const std::string& workload, std::vector<double> batches = {}) {
  WorkloadTable table;
  table.device = "board";
  table.workload = workload;
  table.phase = batches.empty() ? Phase::train : Phase::infer;
  std::vector<Axis> axes = {named_axis(axis::cpu_cores), named_axis(axis::gpu_mhz)};
  if (!batches.empty()) axes.push_back(named_axis(axis::batch_size));
  table.space = Space(axes);
  for (double cores : {2, 4, 8})
    for (double gpu : {300, 600, 900, 1200})
      for (double batch : batches.empty() ? std::vector<double>{16} : batches) {
        std::vector<double> row = {cores, gpu};
        if (!batches.empty()) row.push_back(batch);
        table.add(row, 1500 * batch / gpu + 80 / cores, 4 + 0.01 * gpu + 0.2 * cores);
      }
  return table;
}

}  // namespace flyball::testing_live
