#include "profile/trials/twin_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "base/distinct.h"
#include "base/random.h"
#include "base/text.h"
#include "profile/trials/begun_measurement.h"
#include "profile/trials/offered_axes.h"
#include "space/axis_choice.h"
#include "space/highest_mode.h"

namespace flyball {
namespace {

constexpr double alike = 0.02;  // power totals that differ by no more are one

Status check_run_axis(const Axis& open) {
  const double low = open.name == axis::loader_workers ? 0 : 1;
  const double high = open.name == axis::batch_size ? 1 << 16 : 256;
  for (double value : open.values)
    if (value != std::floor(value) || value < low || value > high)
      return Error{Code::invalid_argument,
                   fmt::format("{} cannot be {}", open.name, format_number(value)),
                   fmt::format("a whole number from {} to {}", low, high)};
  return {};
}

bool is_run_axis(const std::string& name) {
  return name == axis::batch_size || name == axis::loader_workers || name == axis::prefetch;
}

class TwinProfiler final : public Profiler {
 public:
  TwinProfiler(const Board& board, Twin twin, TwinTrialOptions options)
      : twin_(std::move(twin)),
        options_(std::move(options)),
        board_(board.info()),
        presets_(board.presets()) {
    const TwinWorkload& workload = twin_.workload();
    info_.device = board_.device.name;
    info_.device_title = board_.device.title;
    info_.fingerprint = board_.device.fingerprint;
    info_.provenance = Provenance::simulated;
    info_.accepted = options_.accepted;
    info_.accepted.simulated = true;
    info_.workload = workload.name;
    info_.phase = workload.layers.front().phase;
    info_.power_total = twin_power_total(twin_.board());
    info_.power_gap = twin_power_gap(twin_.board());
    info_.samples_per_epoch = workload.data.samples;
    info_.live = true;
    info_.job = {{axis::batch_size, usual_batch_size}};
    if (info_.phase == Phase::train && !workload.data.resident)
      info_.job[axis::loader_workers] = workload.loader_workers;
    if (workload.layers.size() > 1) {
      if (const auto cost = cost_of(workload.layers[0], workload.layers[1])) info_.cost = *cost;
    }
  }

  Status build(const Device& device) {
    info_.gaps = device.gap_texts();
    std::vector<Axis> axes = device.axes();
    info_.presets = on_axes(presets_, axes);
    if (info_.phase == Phase::infer) axes.push_back(named_axis(axis::batch_size, served_batches()));
    for (const Axis& open : options_.open) FLYBALL_CHECK(open_axis(axes, device, open));
    board_axes_ = device.axes();
    for (const Axis& axis : axes) info_.job.erase(axis.name);
    space_ = Space::grid(std::move(axes));
    FLYBALL_CHECK(leave_out_what_does_not_fit());
    find_default();
    info_.default_is_highest = is_highest(space_, default_, board_axes_);
    return describe_simulation();
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override {
    std::string reason = highest_text(space_, default_, board_axes_);
    reason += fmt::format(", batch size {:g}", all_settings(trial(default_)).at(axis::batch_size));
    if (const auto workers = info_.job.find(axis::loader_workers); workers != info_.job.end())
      reason += fmt::format(", {:g} loader workers", workers->second);
    for (const Axis& axis : space_.axes())
      if (axis.scope == Scope::run && axis.name != axis::batch_size && axis.values.size() > 1)
        reason += fmt::format(", {} {:g}", axis.name, space_.settings(default_).at(axis.name));
    return reason;
  }
  void next_repeat(size_t config, size_t number) override { repeats_[config] = number; }

  Result<Measurement> measure(size_t config) override {
    Measurement m = begin_measurement(info_, trial(config));
    m.provenance = Provenance::simulated;
    m.origin = Origin::simulated;
    m.seed = options_.seed;
    const Status status = run(m, noise_seed(m.trial, repeats_[config]++));
    if (!status.ok()) m.failure = status.error().message;
    return m;
  }

 private:
  Trial trial(size_t config) const {
    Trial trial = space_.trial(config, info_.workload, info_.phase);
    trial.job.settings.insert(info_.job.begin(), info_.job.end());
    return trial;
  }

  // The same for one trial, whatever else there is to choose from.
  uint64_t noise_seed(const Trial& trial, size_t number) const {
    uint64_t seed = options_.seed;
    for (const auto& [name, value] : all_settings(trial)) {
      for (const char c : name) seed = mix_seed(seed, static_cast<unsigned char>(c));
      seed = mix_seed(seed, std::bit_cast<uint64_t>(value));
    }
    return mix_seed(seed, number);
  }

  Status open_axis(std::vector<Axis>& axes, const Device& device, const Axis& open) const {
    if (is_run_axis(open.name)) {
      FLYBALL_CHECK(check_run_axis(open));
      std::erase_if(axes, [&](const Axis& axis) { return axis.name == open.name; });
      axes.push_back(named_axis(open.name, open.values));
      return {};
    }
    for (Axis& axis : axes) {
      if (axis.name != open.name) continue;
      for (double value : open.values)
        if (std::ranges::find(axis.values, value) == axis.values.end())
          return lacks_value(axis, value, "on " + info_.device_title,
                             "flyball mode list --device " + board_.name.text());
      axis.values = open.values;
      return {};
    }
    FLYBALL_CHECK(check_not_missing(device, open.name));
    std::vector<std::string> names = {axis::batch_size, axis::loader_workers, axis::prefetch};
    for (const Axis& axis : axes) names.push_back(axis.name);
    make_distinct(names);
    return Error{Code::invalid_argument,
                 fmt::format("there is no axis '{}' on {}", open.name, info_.device_title),
                 name_hint(open.name, names)};
  }

  /// What of a configuration decides what memory it needs.
  TwinConfiguration loading(std::span<const double> row) const {
    const auto value = [&](const char* name, double otherwise) {
      if (const auto column = space_.axis_index(name)) return row[*column];
      const auto fixed = info_.job.find(name);
      return fixed == info_.job.end() ? otherwise : fixed->second;
    };
    TwinConfiguration configuration;
    configuration.batch_size = value(axis::batch_size, usual_batch_size);
    configuration.loader_workers = value(axis::loader_workers, twin_.workload().loader_workers);
    configuration.prefetch = value(axis::prefetch, configuration.prefetch);
    return configuration;
  }

  MemoryNeed need(const TwinConfiguration& configuration) const {
    return options_.memory ? twin_.memory(configuration, static_cast<double>(*options_.memory))
                           : twin_.memory(configuration);
  }

  // What does not fit is no candidate, whoever named it.
  Status leave_out_what_does_not_fit() {
    if (!options_.memory_check) return {};
    std::map<std::array<double, 3>, bool> known;
    std::map<double, std::string> left_out;  // the least that does not fit of each batch size
    std::vector<size_t> rows;
    for (size_t row = 0; row < space_.size(); ++row) {
      const TwinConfiguration one = loading(space_.row(row));
      const auto [found, is_new] =
          known.try_emplace({one.batch_size, one.loader_workers, one.prefetch}, true);
      if (is_new) {
        const MemoryNeed memory = need(one);
        const double workers = twin_.workload().data.resident ? 0 : one.loader_workers;
        found->second = memory.fits();
        if (!memory.fits())
          left_out.emplace(one.batch_size, memory.text_of(one.batch_size, workers));
      }
      if (found->second) rows.push_back(row);
    }
    if (rows.empty() && !left_out.empty()) return does_not_fit(left_out.begin()->second);
    for (const auto& [batch, why] : left_out) info_.gaps.push_back("left out: " + why);
    if (!left_out.empty()) space_ = space_.subset(rows);
    return {};
  }

  Error does_not_fit(const std::string& why) const {
    const int64_t largest = need(loading(space_.row(0))).largest_batch;
    const bool told_less = options_.memory && static_cast<double>(*options_.memory) <
                                                  twin_.board().capacity.left_bytes();
    const std::string other = told_less ? "allow more --memory" : "take another board";
    return {Code::infeasible,
            fmt::format("{} does not fit {}: {}", info_.workload, info_.device_title, why),
            largest == 0 || options_.batch_fixed
                ? other
                : fmt::format("--axis batch_size={}; or {}", largest, other)};
  }

  void find_default() {
    Settings wanted;
    for (const Axis& axis : space_.axes()) wanted[axis.name] = axis.values.back();
    wanted[axis::loader_workers] = twin_.workload().loader_workers;
    wanted[axis::prefetch] = usual_prefetch;
    if (const Axis* batches = find_axis(space_.axes(), axis::batch_size))
      wanted[axis::batch_size] = std::ranges::min(batches->values, {}, [this](double batch) {
        const bool fits = need({.mode = {}, .batch_size = batch}).fits();
        return std::pair(!fits, from_usual_batch(batch));
      });
    default_ = nearest_config(space_, wanted);
  }

  // Another simulation gives other numbers: what it makes of the board's highest mode without noise
  // names it, whatever there is to choose from.
  Result<Twin::Steady> in_highest_mode() const {
    TwinConfiguration highest;
    highest.batch_size = usual_batch_size;
    auto steady = twin_.steady(highest);
    while (!steady && highest.batch_size > 1) {
      highest.batch_size = std::floor(highest.batch_size / 2);
      steady = twin_.steady(highest);
    }
    return steady;
  }

  Status describe_simulation() {
    info_.conditions = {{power_condition, info_.power_total.empty() ? no_power : info_.power_total},
                        {"seed", fmt::format("{}", options_.seed)},
                        {"minibatches", fmt::format("{}", options_.minibatches)}};
    FLYBALL_ASSIGN(const TwinConfiguration usual, twin_configuration(trial(default_)));
    FLYBALL_ASSIGN(const Twin::Steady steady, twin_.steady(usual));
    const double module_w = steady.power.module_w, monitor_w = steady.power.monitor_w;
    if (info_.power_total == "module" && monitor_w > (1 + alike) * module_w)
      info_.power_remark = fmt::format(
          "simulated power is the module's total, each rail counted once: all labelled rails added "
          "up, as in tables that name no total, are {:.0f} % more in the default (docs/twin.md)",
          100 * (monitor_w / module_w - 1));
    FLYBALL_ASSIGN(const Twin::Steady highest, in_highest_mode());
    info_.conditions[simulated_condition] =
        fmt::format("default {:.6g} ms, {:.6g} W of all rails, without noise", highest.times.e2e_ms,
                    highest.power.monitor_w);
    return {};
  }

  Status run(Measurement& m, uint64_t seed) {
    FLYBALL_ASSIGN(const TwinConfiguration configuration, twin_configuration(m.trial));
    TwinOptions options;
    options.minibatches = options_.minibatches + 1;
    options.seed = seed;
    FLYBALL_ASSIGN(const TwinRun run, twin_.simulate(configuration, options));
    const double workers = configuration.loader_workers < 0 ? twin_.workload().loader_workers
                                                            : configuration.loader_workers;
    const size_t counted = run.whole_rounds(workers);
    const TwinMinibatch* const first_counted =
        run.minibatches.data() + run.minibatches.size() - counted;
    double energy_j = 0, window_s = 0;
    for (const TwinMinibatch& one : run.minibatches) {
      const MinibatchTimes taken{one.stall_ms(), one.compute_ms, one.e2e_ms(), 1};
      if (&one == &run.minibatches.front()) {
        m.first = taken;
        continue;
      }
      m.minibatches.push_back(taken);
      m.stall_ms += taken.stall_ms / options_.minibatches;
      m.compute_ms += taken.compute_ms / options_.minibatches;
      if (&one < first_counted) continue;
      const double seconds = one.end_s - one.begin_s;
      window_s += seconds;
      energy_j += twin_total_w(twin_.board(), twin_power(twin_.board(), one.rail_w)) * seconds;
    }
    m.minibatch_ms = run.mean_ms(workers);
    m.noise = twin_.board().constants.run_noise;
    m.stop_reason = fmt::format("{} simulated minibatches", m.minibatches.size());
    m.total_s = run.minibatches.back().end_s;
    if (!info_.power_total.empty()) take_power(m, energy_j, window_s);
    return {};
  }

  void take_power(Measurement& m, double energy_j, double window_s) const {
    PowerReading power;
    power.mean_w = energy_j / window_s;
    power.noise = twin_.board().constants.power_noise;
    power.total = info_.power_total;
    power.energy_j = energy_j;
    power.window_s = window_s;
    power.samples_wanted = power.samples_got = power.distinct_updates = options_.minibatches;
    m.power = power;
  }

  Twin twin_;
  TwinTrialOptions options_;
  BoardInfo board_;
  Presets presets_;
  ProfilerInfo info_;
  Space space_;
  size_t default_ = 0;
  std::vector<Axis> board_axes_;      ///< with all their values, whatever is open
  std::map<size_t, size_t> repeats_;  ///< the number of the next trial of a configuration
};

}  // namespace

Result<std::unique_ptr<Profiler>> make_twin_profiler(const Board& board, TwinWorkload workload,
                                                     const TwinTrialOptions& options) {
  keep_requests_at_hand(workload, options.open);
  FLYBALL_ASSIGN(Twin twin, Twin::make(*board.twin(), std::move(workload)));
  FLYBALL_ASSIGN(const auto knobs, board.knobs());
  auto profiler = std::make_unique<TwinProfiler>(board, std::move(twin), options);
  FLYBALL_CHECK(profiler->build(*knobs));
  return std::unique_ptr<Profiler>(std::move(profiler));
}

}  // namespace flyball
