#include "profile/trials/table_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "cost/tabled_networks.h"
#include "space/highest_mode.h"
#include "space/table_hash.h"

namespace flyball {
namespace {

// What was measured is looked up here; what was not stays what it is.
Provenance looked_up(Provenance known) {
  return known == Provenance::measured ? Provenance::table : known;
}

class TableProfiler final : public Profiler {
 public:
  TableProfiler(const WorkloadTable& table, std::shared_ptr<const WorkloadTable> whole)
      : whole_(std::move(whole)) {
    info_.device = table.device;
    info_.device_title = fmt::format("table of {}", table.title());
    info_.fingerprint = table_fingerprint(table);
    info_.accepted = table.accepted;
    info_.workload = table.workload;
    info_.phase = table.phase;
    info_.power_total = table.power_total;
    // No file holds it: of our networks their names say it.
    info_.cost = table.cost ? table.cost : tabled_cost(table.workload, table.phase);
    if (!table.has_power()) info_.power_gap = "the table holds no power readings";
    if (std::string note = unknown_axes_note(table.space.axes()); !note.empty())
      info_.gaps.push_back(std::move(note));
    WorkloadTable merged = merge_repeats(table);
    if (merged.size() < table.size())
      info_.gaps.push_back(merged_text(table.size() - merged.size(), table.title()));
    space_ = std::move(merged.space);
    for (size_t i = 0; i < merged.size(); ++i) known_.push_back(looked_up(merged.known(i)));
    time_ = std::move(merged.minibatch_ms);
    power_ = std::move(merged.power_w);
    const auto other = std::ranges::adjacent_find(known_, std::not_equal_to());
    info_.provenance = known_.empty() || other != known_.end() ? Provenance::table : known_.front();
    find_default();
    info_.default_is_highest = is_highest(space_, default_, whole_->space.axes());
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override {
    std::string reason = highest_text(space_, default_, whole_->space.axes());
    for (size_t d = 0; d < space_.dimensions(); ++d) {
      const Axis& axis = space_.axes()[d];
      if (axis.scope == Scope::run && axis.values.size() > 1)
        reason += fmt::format(", {} {:g}", axis.name, space_.row(default_)[d]);
    }
    return reason;
  }

  const WorkloadTable* table() const override { return whole_.get(); }

  Result<Measurement> measure(size_t config) override {
    if (config >= space_.size())
      return Error{Code::invalid_argument, "the table has no such configuration", ""};
    Measurement measurement;
    measurement.trial = space_.trial(config, info_.workload, info_.phase);
    measurement.device = info_.device;
    measurement.fingerprint = info_.fingerprint;
    measurement.conditions = info_.conditions;
    measurement.provenance = known_[config];
    measurement.minibatch_ms = time_[config];
    measurement.origin = Origin::table;
    measurement.stop_reason = "read from the table";
    if (std::isnan(power_[config])) {
      measurement.power_gap = "the table holds no power for this configuration";
    } else {
      measurement.power.emplace();
      measurement.power->mean_w = power_[config];
      measurement.power->total = info_.power_total;
    }
    return measurement;
  }

 private:
  // Lexicographic: the highest of every board axis, then the batch size nearest to the usual one,
  // then the lowest of the other run settings, which is what a loader does unless told otherwise.
  void find_default() {
    std::vector<double> best;
    for (size_t i = 0; i < space_.size(); ++i) {
      std::vector<double> key = {share_of_highest(space_, i)};
      for (size_t d = 0; d < space_.dimensions(); ++d) {
        const Axis& axis = space_.axes()[d];
        if (axis.scope == Scope::board) continue;
        if (axis.name == axis::batch_size)
          key.push_back(-from_usual_batch(space_.row(i)[d]));
        else
          key.push_back(-space_.row(i)[d]);
      }
      if (!best.empty() && key <= best) continue;
      best = key;
      default_ = i;
    }
  }

  std::shared_ptr<const WorkloadTable> whole_;
  ProfilerInfo info_;
  Space space_;
  std::vector<double> time_, power_;
  std::vector<Provenance> known_;
  size_t default_ = 0;
};

}  // namespace

std::unique_ptr<Profiler> make_table_profiler(const WorkloadTable& table,
                                              std::shared_ptr<const WorkloadTable> whole) {
  if (!whole) whole = std::make_shared<const WorkloadTable>(table);
  return std::make_unique<TableProfiler>(table, std::move(whole));
}

}  // namespace flyball
