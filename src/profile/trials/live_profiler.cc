#include "profile/trials/live_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <new>

#include "base/clock.h"
#include "base/os/available_memory.h"
#include "base/os/file_version.h"
#include "base/os/interrupt.h"
#include "base/os/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cost/networks.h"
#include "data/dataset_conditions.h"
#include "data/formats/open.h"
#include "data/text/question_set.h"
#include "data/typed_shape.h"
#include "module/versions.h"
#include "profile/trials/begun_measurement.h"
#include "profile/trials/memory_fit.h"
#include "profile/trials/minibatch_run.h"
#include "profile/trials/mode_watch.h"
#include "profile/trials/offered_axes.h"
#include "profile/trials/trial_conditions.h"
#include "profile/trials/trial_figures.h"
#include "space/axis_choice.h"
#include "space/highest_mode.h"
#include "workload/trace.h"
#include "workload/workload.h"

namespace flyball {
namespace {

std::vector<double> worker_counts(size_t cores) {
  std::vector<double> counts = {0, 1, 2};
  for (size_t n = 4; n <= std::max<size_t>(4, cores) && n <= 16; n *= 2)
    counts.push_back(static_cast<double>(n));
  return counts;
}

double setting(const Settings& settings, const std::string& name, double otherwise) {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : found->second;
}

Status check_value(const std::string& name, double value, double low, double high) {
  if (value == std::floor(value) && value >= low && value <= high) return {};
  return Error{Code::invalid_argument, fmt::format("{} cannot be {}", name, format_number(value)),
               fmt::format("a whole number from {} to {}", low, high)};
}

class LiveProfiler final : public Profiler {
 public:
  LiveProfiler(std::unique_ptr<Device> device, std::unique_ptr<PowerMeter> meter,
               const LiveOptions& options, DatasetPtr dataset, CollatePtr collate)
      : device_(std::move(device)),
        meter_(std::move(meter)),
        options_(options),
        dataset_(std::move(dataset)),
        collate_(std::move(collate)) {
    const DeviceInfo& board =
        options.board.device.name.empty() ? device_->info() : options.board.device;
    info_ = live_info(board, *device_, *meter_, options.presets);
    info_.conditions = conditions();
    info_.workload = options.workload;
    info_.phase = options.phase;
    info_.samples_per_epoch = static_cast<double>(dataset_->size());
    info_.trial_cap_s = options.stopping.max_seconds;
    info_.job = {{axis::batch_size, 16}};
    for (const auto& [name, value] : options.job) info_.job[name] = value;
  }

  Status build_space() {
    std::vector<Axis> axes = offered_axes(*device_, options_.open);
    const Axis* cpus = find_axis(axes, axis::cpu_cores);
    const auto cores = cpus ? static_cast<size_t>(cpus->values.back()) : 1;
    axes.push_back(named_axis(axis::loader_workers, worker_counts(cores)));
    axes.push_back(named_axis(axis::prefetch, {1, 2, 4}));
    for (const Axis& open : options_.open) FLYBALL_CHECK(open_axis(axes, open));
    const Space grid = Space::grid(axes);
    const size_t workers = *grid.axis_index(axis::loader_workers);
    const size_t prefetch = *grid.axis_index(axis::prefetch);
    for (Axis& axis : axes) axis.values.clear();
    space_ = Space(axes);
    // Inline loading has nothing to prefetch: one configuration, not one for each depth.
    const double shallowest = grid.axes()[prefetch].values.front();
    for (size_t i = 0; i < grid.size(); ++i) {
      std::vector<double> row(grid.row(i).begin(), grid.row(i).end());
      if (row[workers] == 0 && row[prefetch] != shallowest) continue;
      if (row[workers] == 0) row[prefetch] = 0;
      space_.add(row);
    }
    FLYBALL_CHECK(leave_out_what_does_not_fit());
    info_.cost = counted_cost();
    return find_default();
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override {
    return default_mode_text(space_.settings(default_), *device_) +
           ", data loaded inline, as PyTorch's DataLoader does unless told otherwise";
  }

  void on_sample(TrialListener listener) override { samples_.listen(std::move(listener)); }

  std::string out_of_reach(size_t config) const override {
    return device_->out_of_reach(space_.trial(config, info_.workload, info_.phase).mode);
  }

  Result<Measurement> measure(size_t config) override {
    samples_.begin(config);
    FLYBALL_CHECK(fill_cache());
    FLYBALL_CHECK(device_->claim());  // without the board there is no trial, not even a failed one
    const auto run = [this](Measurement& m) {
      m.trial.job.settings.insert(info_.job.begin(), info_.job.end());
      m.seed = options_.seed;
      return run_safely(m);
    };
    return live_trial(info_, space_.trial(config, info_.workload, info_.phase), run,
                      [](const Error& error) { return error.code == Code::interrupted; });
  }

  // With the share of the set that epochs find there in the long run: a trial that filled it would
  // measure a first epoch, and the next one would not.
  Status open_cache() {
    if (options_.cache_bytes == 0) return {};
    FLYBALL_ASSIGN(cache_, SampleCache::open(dataset_, {.bytes = options_.cache_bytes}));
    return {};
  }

 private:
  Status fill_cache() {
    if (!cache_ || filled_) return {};
    FLYBALL_CHECK(cache_->fill(options_.seed, options_.interrupted));
    filled_ = true;
    return {};
  }

  // The versions first: to ask for them loads the libraries.
  Conditions conditions() const {
    Conditions own = {{"LibTorch", library_versions()}};
    if (const std::string script = script_file(options_.workload); !script.empty())
      own["script"] = file_version(script);
    if (options_.cache_bytes > 0)
      own["sample cache"] = fmt::format("{} bytes", options_.cache_bytes);
    return combine({own, step_conditions(options_.step), options_.script.conditions(),
                    device_->info().settings, process_conditions(), library_conditions(),
                    power_conditions(*meter_), dataset_conditions(*dataset_, options_.data)});
  }

  // Opens a further run axis, or takes other values for one that is there.
  Status open_axis(std::vector<Axis>& axes, const Axis& open) {
    if (open.name == axis::batch_size) {
      for (double value : open.values) FLYBALL_CHECK(check_value(open.name, value, 1, 1 << 16));
      info_.job.erase(axis::batch_size);
      axes.push_back(named_axis(axis::batch_size, open.values));
      return {};
    }
    for (Axis& axis : axes) {
      if (axis.name != open.name) continue;
      for (double value : open.values) {
        if (axis.scope == Scope::run) {
          FLYBALL_CHECK(check_value(open.name, value, open.name == axis::prefetch ? 1 : 0, 256));
        } else if (std::ranges::find(axis.values, value) == axis.values.end()) {
          return lacks_value(axis, value, "here", "flyball mode list");
        }
      }
      axis.values = open.values;
      return {};
    }
    FLYBALL_CHECK(check_not_missing(*device_, open.name));
    std::vector<std::string> names = {axis::batch_size};
    for (const Axis& axis : axes) names.push_back(axis.name);
    return Error{Code::invalid_argument, fmt::format("there is no axis '{}' here", open.name),
                 name_hint(open.name, names)};
  }

  // A step of the training that trials run: with its optimizer, precision and parts.
  StepOptions own_step() const {
    StepOptions step = options_.step;
    step.phase = options_.phase;
    step.seed = options_.seed;
    step.device = options_.board.compute;
    options_.script.tell(step);
    return step;
  }

  // Of one of ours its description is at hand; a user's runs one step at each of two batch sizes.
  // Nothing where that fails: predictors do without it.
  std::optional<Cost> counted_cost() const {
    StepOptions step = own_step();
    step.accumulate = 1;  // of the whole minibatch
    if (step.classes == 0) step.classes = dataset_->classes();
    step.batch = collate_->layout();
    step.shape = step.batch.front().shape;
    const auto ours = network_cost(info_.workload, info_.phase, typed_shape(step.shape));
    if (ours) return ours;
    if (options_.runs_nothing || is_known_network(info_.workload)) return {};
    std::vector<LayerTable> layers;
    for (const int64_t batch : {2, 4}) {
      step.batch_size = batch;
      auto described = describe_step(info_.workload, step, CountRules::exact);
      if (!described) return {};
      layers.push_back(*std::move(described));
    }
    const auto cost = cost_of(layers[0], layers[1]);
    return cost ? std::optional(*cost) : std::nullopt;
  }

  int64_t largest_batch_size() const {
    const auto axis = space_.axis_index(axis::batch_size);
    const double size = axis ? std::ranges::max(space_.axes()[*axis].values)
                             : setting(info_.job, axis::batch_size, usual_batch_size);
    return static_cast<int64_t>(size);
  }

  // A GPU with memory of its own is not asked how much of it is free.
  Status leave_out_what_does_not_fit() {
    const bool shared = options_.board.compute == "cpu" || options_.board.may_compute_on_gpu;
    const auto left = options_.memory ? options_.memory : available_memory();
    if (!options_.memory_check || !shared || !left) return {};
    StepOptions step = own_step();
    step.batch_size = largest_batch_size();           // which has as many parts as were asked for
    step.threads = static_cast<int>(usable_cores());  // each has a workspace of its own
    const uint64_t to_come = cache_ ? cache_->growth_bytes() : 0;
    const uint64_t available = *left - std::min(*left, to_come);
    const RunData data{dataset_, collate_};
    const auto fit = options_.runs_nothing
                         ? MemoryFit::known(options_.workload, step.phase, data, available)
                         : MemoryFit::measure(options_.workload, step, data, available);
    if (!fit && fit.error().code == Code::out_of_memory) return fit.error();
    if (!fit) return {};  // the first trial tells what is wrong with the network
    std::vector<size_t> rows;
    std::map<int64_t, std::string> left_out;  // the least that does not fit of each batch size
    int64_t largest = 0;                      // that would
    for (size_t row = 0; row < space_.size(); ++row) {
      const Settings settings = space_.settings(row);
      const auto value = [&](const char* name) {
        return static_cast<int64_t>(setting(settings, name, setting(info_.job, name, 0)));
      };
      const int64_t batch = value(axis::batch_size), workers = value(axis::loader_workers),
                    prefetch = value(axis::prefetch);
      if (fit->fits(batch, workers, prefetch)) {
        rows.push_back(row);
        continue;
      }
      const MemoryNeed need = fit->need(batch, workers, prefetch);
      largest = std::max(largest, need.largest_batch);
      left_out.emplace(batch,
                       need.text_of(static_cast<double>(batch), static_cast<double>(workers)));
    }
    if (rows.size() == space_.size()) return {};
    if (rows.empty())
      return does_not_fit(options_.workload, left_out.begin()->second,
                          largest == 0 ? "" : fmt::format("--axis batch_size={}", largest),
                          options_.memory.has_value());
    for (const auto& [batch, why] : left_out) info_.gaps.push_back("left out: " + why);
    space_ = space_.subset(rows);
    return {};
  }

  Status find_default() {
    Settings wanted = device_->baseline().values;
    wanted[axis::loader_workers] = 0;
    wanted[axis::prefetch] = 0;
    if (const auto axis = space_.axis_index(axis::batch_size)) {
      wanted[axis::batch_size] =
          std::ranges::min(space_.axes()[*axis].values, {}, from_usual_batch);
    }
    // Where the axes were narrowed, the closest configuration stands in.
    default_ = nearest_config(space_, std::move(wanted));
    info_.default_is_highest = is_highest(space_, default_, device_->axes());
    return {};
  }

  Result<LoadedRun> start(const Trial& trial) {
    const Settings& job = trial.job.settings;
    StepOptions step = own_step();
    step.batch_size = static_cast<int64_t>(job.at(axis::batch_size));
    // A tree may show more cores than this machine has.
    step.threads = std::min(static_cast<int>(setting(trial.mode.values, axis::cpu_cores, 0)),
                            static_cast<int>(usable_cores()));
    LoaderOptions load;
    load.workers = static_cast<int>(setting(job, axis::loader_workers, 0));
    load.prefetch = std::max(1, static_cast<int>(setting(job, axis::prefetch, 2)));
    load.shuffle = step.phase == Phase::train;
    load.drop_last = true;
    load.cache = cache_;
    return start_run(trial.job.workload, dataset_, collate_, step, load);
  }

  // Memory can run out anywhere, not only where LibTorch or the loader say so: that ends this
  // trial, whose network and minibatches are gone by then, and no more.
  Status run_safely(Measurement& m) {
    try {
      return run_trial(m);
    } catch (const std::bad_alloc&) {
      return out_of_memory("a trial");
    }
  }

  Status run_trial(Measurement& m) {
    FLYBALL_CHECK(device_->apply(m.trial.mode));
    m.settle_s = settle(*device_, m.trial.mode, options_.settle_s);
    FLYBALL_ASSIGN(LoadedRun loaded, start(m.trial));
    FLYBALL_CHECK(meter_->begin());
    FLYBALL_CHECK(warm_up(loaded.run, m));
    meter_->count();
    ClockWatch clocks(*device_, m.trial.mode);
    clocks.begin();
    FLYBALL_CHECK(count(loaded.run, clocks, m));
    take_power(*meter_, m);
    clocks.end(m);
    return device_->still_set();
  }

  Status warm_up(MinibatchRun& run, Measurement& m) {
    FLYBALL_ASSIGN(m.first, run.next());
    const Stopwatch watch;
    const double cap = options_.warm_up_s + power_patience_s;
    while (watch.seconds() < options_.warm_up_s || (!meter_->settled() && watch.seconds() < cap)) {
      FLYBALL_CHECK(check_interrupt(options_.interrupted));
      FLYBALL_ASSIGN(const MinibatchTimes times, run.next());
      samples_.tell(0, times.e2e_ms);
    }
    m.warm_up_s = watch.seconds();
    return {};
  }

  Status count(MinibatchRun& run, ClockWatch& clocks, Measurement& m) {
    StoppingRule rule(stopping_of(options_.stopping, m.trial));
    double cache_bytes = 0, file_bytes = 0;
    const Stopwatch watch;
    while (!rule.done() || (meter_->updates() < power_updates_wanted &&
                            watch.seconds() < options_.stopping.max_seconds)) {
      FLYBALL_CHECK(check_interrupt(options_.interrupted));
      FLYBALL_ASSIGN(const MinibatchTimes times, run.next());
      clocks.look();
      rule.add(times.e2e_ms);
      cache_bytes += static_cast<double>(run.batch().cache_bytes);
      file_bytes += static_cast<double>(run.batch().bytes - run.batch().cache_bytes);
      m.minibatches.push_back(times);
      samples_.tell(m.minibatches.size(), times.e2e_ms);
    }
    take_times(rule, m);
    m.stop_reason = rule.reason();
    if (!cache_ || m.minibatches.empty()) return {};
    const auto minibatches = static_cast<double>(m.minibatches.size());
    m.figures["cache_bytes"] = cache_bytes / minibatches;
    m.figures["file_bytes"] = file_bytes / minibatches;
    return {};
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<PowerMeter> meter_;
  LiveOptions options_;
  DatasetPtr dataset_;
  CollatePtr collate_;
  std::shared_ptr<SampleCache> cache_;
  bool filled_ = false;
  ProfilerInfo info_;
  Space space_;
  SamplePublisher samples_;
  size_t default_ = 0;
};

// `tokens` among the axes: one value, that of every trial. Rows of different sizes are different
// work, whose times do not compare.
Result<int64_t> take_tokens(std::vector<Axis>& open) {
  const auto tokens = std::ranges::find(open, "tokens", &Axis::name);
  if (tokens == open.end()) return int64_t{0};
  if (tokens->values.size() != 1)
    return Error{Code::invalid_argument, "rows of different sizes are different work",
                 "give tokens one value: --axis tokens=128"};
  FLYBALL_CHECK(check_value("tokens", tokens->values.front(), fewest_row_tokens, most_row_tokens));
  const auto value = static_cast<int64_t>(tokens->values.front());
  open.erase(tokens);
  return value;
}

Status check_phase(const std::string& name, Phase phase) {
  if (!script_file(name).empty()) return {};
  FLYBALL_ASSIGN(const Workload* workload, find_workload(name));
  if (std::ranges::find(workload->phases, phase) != workload->phases.end()) return {};
  return Error{Code::invalid_argument, fmt::format("{} cannot {}", name, phase_name(phase)),
               "`flyball workloads` shows what each can do"};
}

}  // namespace

Result<std::unique_ptr<Profiler>> make_live_profiler(std::unique_ptr<Device> device,
                                                     std::unique_ptr<PowerMeter> meter,
                                                     const LiveOptions& options) {
  FLYBALL_CHECK(check_phase(options.workload, options.phase));
  FLYBALL_CHECK(check_libraries());
  const bool training = options.phase == Phase::train;
  LiveOptions own = options;
  FLYBALL_ASSIGN(const int64_t tokens, take_tokens(own.open));
  FLYBALL_ASSIGN(RunData data,
                 open_run_data(options.workload, options.data, {tokens, options.image_size},
                               options.script, training));
  if (const auto each = row_tokens(*data.dataset)) own.job["tokens"] = static_cast<double>(*each);
  if (options.image_size != 0) own.job["image_size"] = options.image_size;
  auto profiler = std::make_unique<LiveProfiler>(std::move(device), std::move(meter), own,
                                                 std::move(data.dataset), std::move(data.collate));
  FLYBALL_CHECK(profiler->open_cache());
  FLYBALL_CHECK(profiler->build_space());
  return std::unique_ptr<Profiler>(std::move(profiler));
}

}  // namespace flyball
