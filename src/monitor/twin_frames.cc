// Frames of a simulated board at work: training, serving and rest in turns, in one preset after the
// other, so that there is something to watch. Time is the simulation's own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "device/modes/mode.h"
#include "monitor/frame_reader.h"
#include "space/highest_mode.h"
#include "twin/twin.h"

namespace flyball {
namespace {

struct Stage {
  const char* network;  ///< null: rest
  Phase phase;
  double batch_size, seconds;
};
constexpr Stage stages[] = {{"resnet18", Phase::train, 16, 20},
                            {nullptr, Phase::train, 0, 5},
                            {"mobilenet_v3", Phase::infer, 16, 15},
                            {nullptr, Phase::train, 0, 5}};
constexpr double ambient_c = 25;

// One stage as it runs.
struct Running {
  TwinStream stream;
  std::string name;
  double data_bytes = 0;  ///< of the data set
  TwinMinibatch minibatch{};
  TwinUse use{};
};

class TwinFrames final : public FrameReader {
 public:
  TwinFrames(const Board& board, const FrameOptions& options, std::vector<Error> gaps)
      : twin_(*board.twin()), options_(options), presets_(board.presets().list) {
    frame_.simulated = true;
    frame_.board_id = twin_.id;
    frame_.board_name = board.info().device.title;
    frame_.gaps = std::move(gaps);
    frame_.total = twin_power_total(twin_);
    for (const TwinRail& rail : twin_.rails) {
      const bool in_total = frame_.total == "module"
                                ? rail.module
                                : frame_.total == "monitor" || frame_.total == rail.name;
      frame_.rails.push_back({rail.name, in_total, {}, 0});
    }
    frame_.memory.total_bytes = twin_.memory_bytes;
  }

  std::vector<Preset> presets() const override { return presets_; }

  Result<std::string> set_mode(const std::string& text) override {
    FLYBALL_ASSIGN(const PowerMode asked, mode_of(text));
    PowerMode mode = highest_mode(twin_.axes);
    for (const auto& [name, value] : asked.values) {
      const Axis* axis = find_axis(twin_.axes, name);
      if (!axis || std::ranges::find(axis->values, value) == axis->values.end())
        return Error{Code::invalid_argument,
                     fmt::format("{} cannot be {} here", name, format_number(value)),
                     "`flyball mode list` with this --device lists the values"};
      mode.values[name] = value;
    }
    chosen_ = mode;
    chosen_preset_ = text.find('=') == std::string::npos ? text : "";
    began_ = false;  // the stage starts anew in it
    stage_end_s_ = at_s_;
    return "set, in the simulation: " + describe(mode.values);
  }

  Result<std::optional<BoardFrame>> read() override {
    const double end_s = at_s_ + options_.interval.value;
    energy_j_ = {};
    core_s_ = gpu_s_ = 0;
    while (at_s_ < end_s - 1e-9) {
      if (at_s_ >= stage_end_s_ - 1e-9) FLYBALL_CHECK(begin_stage());
      const double until_s = std::min(end_s, stage_end_s_);
      if (running_)
        work_until(until_s);
      else
        rest_until(until_s);
      warm_up(until_s - at_s_);
      at_s_ = until_s;
    }
    tell(options_.interval.value);
    return std::optional(frame_);
  }

 private:
  const Stage& stage() const { return stages[stage_ % std::size(stages)]; }

  Result<PowerMode> mode_of(const std::string& text) const {
    if (text.find('=') != std::string::npos) return parse_mode(text);
    for (const Preset& preset : presets_)
      if (preset.name == text || fmt::format("{}", preset.id) == text) return preset.mode;
    return Error{Code::not_found, fmt::format("there is no preset '{}'", text), ""};
  }

  // A preset lasts for a round of stages.
  PowerMode mode_now(std::string& preset) const {
    if (chosen_) {
      preset = chosen_preset_;
      return *chosen_;
    }
    PowerMode mode = highest_mode(twin_.axes);
    if (presets_.empty()) return mode;
    const Preset& chosen = presets_[stage_ / std::size(stages) % presets_.size()];
    preset = chosen.name;
    for (const auto& [axis, value] : chosen.mode.values) mode.values[axis] = value;
    return mode;
  }

  Status begin_stage() {
    if (began_) ++stage_;
    began_ = true;
    stage_begin_s_ = at_s_;
    stage_end_s_ = at_s_ + stage().seconds;
    frame_.mode.preset.clear();
    frame_.mode.caps = mode_now(frame_.mode.preset);
    frame_.mode.pinned = false;
    running_.reset();
    last_w_ = {};
    if (!stage().network) {
      FLYBALL_ASSIGN(const TwinPower idle,
                     idle_power(twin_, frame_.mode.caps, {.governors = true}));
      idle_w_ = idle.rail_w;
      return {};
    }
    return begin_work();
  }

  Status begin_work() {
    FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload(stage().network, stage().phase));
    const double data_bytes = workload.data.samples * workload.data.sample_bytes;
    FLYBALL_ASSIGN(const Twin twin, Twin::make(twin_, std::move(workload)));
    const TwinConfiguration configuration{
        .mode = frame_.mode.caps, .batch_size = stage().batch_size, .governors = true};
    const TwinOptions more{.seed = options_.seed + stage_, .cached = 0.5};
    FLYBALL_ASSIGN(TwinStream stream, twin.stream(configuration, more));
    running_.emplace(Running{std::move(stream),
                             fmt::format("{} {}", stage().network, phase_name(stage().phase)),
                             data_bytes});
    return {};
  }

  void rest_until(double until_s) {
    for (size_t rail = 0; rail < energy_j_.size(); ++rail)
      energy_j_[rail] += idle_w_[rail] * (until_s - at_s_);
    last_w_ = idle_w_;
  }

  // Minibatches that overlap this piece of time, each by its share of it.
  void work_until(double until_s) {
    const double begin = at_s_ - stage_begin_s_, end = until_s - stage_begin_s_;
    Running& work = *running_;
    while (true) {
      const TwinMinibatch& now = work.minibatch;
      const double overlap = std::min(end, now.end_s) - std::max(begin, now.begin_s);
      if (overlap > 0)
        for (size_t rail = 0; rail < energy_j_.size(); ++rail)
          energy_j_[rail] += now.rail_w[rail] * overlap;
      if (overlap > 0) {
        core_s_ += overlap * busy_.cpu_cores;
        gpu_s_ += overlap * busy_.gpu;
      }
      if (now.end_s >= end) break;
      next_minibatch(work);
    }
    last_w_ = work.minibatch.rail_w;
  }

  // What it used, from what the stream used so far.
  void next_minibatch(Running& work) {
    const double before_s = work.minibatch.end_s;
    work.minibatch = work.stream.next();
    const TwinUse use = work.stream.use();
    const double seconds = work.minibatch.end_s - before_s;
    if (seconds > 0) {
      const auto of_this = [&](double TwinUse::*share) {
        return std::max(0.0,
                        (use.*share * work.minibatch.end_s - work.use.*share * before_s) / seconds);
      };
      busy_ = {of_this(&TwinUse::cpu_cores), of_this(&TwinUse::gpu)};
    }
    work.use = use;
  }

  void warm_up(double seconds) {
    const TwinConstants& c = twin_.constants;
    const double target = ambient_c + c.thermal_c_per_w * twin_power(twin_, last_w_).module_w;
    celsius_ += (target - celsius_) * (1 - std::exp(-seconds / c.thermal_s));
  }

  void tell(double seconds) {
    frame_.at_s = at_s_;
    TwinRailPower mean_w{};
    double total_j = 0;
    for (size_t rail = 0; rail < frame_.rails.size(); ++rail) {
      mean_w[rail] = energy_j_[rail] / seconds;
      frame_.rails[rail].power_w = mean_w[rail];
      frame_.rails[rail].energy_j += energy_j_[rail];
      if (frame_.rails[rail].in_total) total_j += energy_j_[rail];
    }
    if (!frame_.total.empty()) {
      frame_.energy_j += total_j;
      frame_.power_w = total_j / seconds;
    }
    tell_work(seconds);
    frame_.temperatures = {{"module", celsius_}};
  }

  void tell_work(double seconds) {
    const auto& caps = frame_.mode.caps.values;
    const auto cap = [&](const char* name) -> std::optional<double> {
      const auto found = caps.find(name);
      return found == caps.end() ? std::nullopt : std::optional(found->second);
    };
    const auto lowest = [&](const char* name) -> std::optional<double> {
      const Axis* axis = find_axis(twin_.axes, name);
      return axis ? std::optional(axis->values.front()) : std::nullopt;
    };
    const TwinMinibatch* now = running_ ? &running_->minibatch : nullptr;
    const bool has_gpu = twin_.constants.cuda_cores > 0;
    frame_.clocks.clear();
    const auto add = [&](const char* name, const char* axis, std::optional<double> seen) {
      if (cap(axis)) frame_.clocks.push_back({name, axis, cap(axis), seen});
    };
    add("cpu0", axis::cpu_mhz, now ? std::optional(now->cpu_mhz) : lowest(axis::cpu_mhz));
    add("gpu", axis::gpu_mhz, now ? std::optional(now->gpu_mhz) : lowest(axis::gpu_mhz));
    add("emc", axis::mem_mhz, cap(axis::mem_mhz));
    const double cores = std::max(1.0, cap(axis::cpu_cores).value_or(1));
    const Axis* all = find_axis(twin_.axes, axis::cpu_cores);
    frame_.cores.assign(static_cast<size_t>(all ? all->values.back() : cores), std::nullopt);
    for (size_t core = 0; core < std::min(frame_.cores.size(), static_cast<size_t>(cores)); ++core)
      frame_.cores[core] = std::clamp(core_s_ / seconds / cores, 0.0, 1.0);
    if (has_gpu) frame_.gpu_busy = std::clamp(gpu_s_ / seconds, 0.0, 1.0);
    tell_memory(seconds);
  }

  void tell_memory(double seconds) {
    frame_.memory.used_bytes = twin_.system_bytes;
    if (!frame_.memory.page_cache_bytes) frame_.memory.page_cache_bytes = 0;
    frame_.processes.clear();
    if (!running_) return;
    const double held = running_->stream.memory_bytes();
    frame_.memory.used_bytes = twin_.system_bytes + held;
    frame_.memory.page_cache_bytes = running_->data_bytes * running_->stream.cached();
    frame_.processes.push_back({1, running_->name, core_s_ / seconds, held, {}});
  }

  struct Busy {
    double cpu_cores = 0, gpu = 0;  ///< of the minibatch that runs
  };

  TwinBoard twin_;
  FrameOptions options_;
  std::vector<Preset> presets_;
  BoardFrame frame_;
  std::optional<Running> running_;
  Busy busy_;
  TwinRailPower energy_j_{}, idle_w_{}, last_w_{};
  double core_s_ = 0, gpu_s_ = 0, celsius_ = ambient_c;
  double at_s_ = 0, stage_begin_s_ = 0, stage_end_s_ = 0;
  std::optional<PowerMode> chosen_;
  std::string chosen_preset_;
  size_t stage_ = 0;
  bool began_ = false;
};

}  // namespace

Result<std::unique_ptr<FrameReader>> open_twin_frames(const Board& board,
                                                      const FrameOptions& options) {
  std::vector<Error> gaps;
  if (const auto knobs = board.knobs())
    for (const AxisGap& gap : (*knobs)->gaps()) gaps.push_back(gap.why);
  return std::unique_ptr<FrameReader>(
      std::make_unique<TwinFrames>(board, options, std::move(gaps)));
}

}  // namespace flyball
