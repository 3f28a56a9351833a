// Frames of a simulated board at work: training, serving and rest in turns, in one preset after the
// other, as delivered first, so that there is something to watch. Time is the simulation's own.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "device/modes/mode.h"
#include "monitor/frame_reader.h"
#include "space/highest_mode.h"
#include "twin/board_at_work.h"

namespace flyball {
namespace {

// A preset lasts for a round of these.
const std::vector<WorkStage>& stages() {
  static const std::vector<WorkStage> all = {
      {.network = "resnet18", .phase = Phase::train, .seconds = 20},
      {.seconds = 5},
      {.network = "mobilenet_v3", .phase = Phase::infer, .seconds = 15},
      {.seconds = 5}};
  return all;
}

class TwinFrames final : public FrameReader {
 public:
  TwinFrames(const Board& board, const FrameOptions& options, std::vector<Error> gaps)
      : twin_(*board.twin()),
        options_(options),
        presets_(board.presets()),
        work_(twin_, stages(), {.seed = options.seed, .cached = 0.5, .mode = [this](size_t stage) {
                                  return mode_of_stage(stage);
                                }}) {
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
    frame_.memory.total_bytes = twin_.capacity.memory_bytes;
  }

  std::vector<Preset> presets() const override { return presets_.list; }

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
    const Preset* const preset = preset_of(text);
    chosen_preset_ = preset ? preset->name : "";
    work_.restart(at_s_);
    return "set, in the simulation: " + describe(mode.values);
  }

  Result<std::optional<BoardFrame>> read() override {
    const double end_s = at_s_ + options_.interval.value;
    energy_j_ = {};
    core_s_ = gpu_s_ = 0;
    while (at_s_ < end_s - 1e-9) {
      FLYBALL_ASSIGN(now_, work_.at(at_s_));
      spend(std::min(end_s, now_.end_s) - at_s_);
    }
    tell(options_.interval.value);
    return std::optional(frame_);
  }

 private:
  void spend(double seconds) {
    for (size_t rail = 0; rail < energy_j_.size(); ++rail)
      energy_j_[rail] += now_.rail_w[rail] * seconds;
    core_s_ += now_.cpu_cores * seconds;
    gpu_s_ += now_.gpu_busy * seconds;
    heat_.follow(twin_, now_.rail_w, seconds);
    at_s_ += seconds;
  }

  /// By its name or number; null: none.
  const Preset* preset_of(const std::string& text) const {
    for (const Preset& preset : presets_.list)
      if (preset.name == text || fmt::format("{}", preset.id) == text) return &preset;
    return nullptr;
  }

  Result<PowerMode> mode_of(const std::string& text) const {
    if (text.find('=') != std::string::npos) return parse_mode(text);
    if (const Preset* const preset = preset_of(text)) return preset->mode;
    return Error{Code::not_found, fmt::format("there is no preset '{}'", text), ""};
  }

  PowerMode mode_of_stage(size_t stage) {
    preset_ = chosen_preset_;
    if (chosen_) return *chosen_;
    PowerMode mode = highest_mode(twin_.axes);
    if (presets_.list.empty()) return mode;
    const Preset* const delivered = presets_.in_force();
    const size_t first = delivered ? static_cast<size_t>(delivered - presets_.list.data()) : 0;
    const Preset& chosen = presets_.list[(first + stage / stages().size()) % presets_.list.size()];
    preset_ = chosen.name;
    for (const auto& [axis, value] : chosen.mode.values) mode.values[axis] = value;
    return mode;
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
    frame_.temperatures = {{"module", heat_.celsius()}};
  }

  void tell_work(double seconds) {
    frame_.mode = {.caps = work_.mode(), .preset = preset_, .pinned = false};
    const auto& caps = frame_.mode.caps.values;
    const auto cap = [&](const char* name) -> std::optional<double> {
      const auto found = caps.find(name);
      return found == caps.end() ? std::nullopt : std::optional(found->second);
    };
    const bool has_gpu = twin_.constants.cuda_cores > 0;
    frame_.clocks.clear();
    const auto add = [&](const char* name, const char* axis, std::optional<double> seen) {
      if (cap(axis)) frame_.clocks.push_back({name, axis, cap(axis), seen});
    };
    add("cpu0", axis::cpu_mhz, now_.cpu_mhz);
    add("gpu", axis::gpu_mhz, now_.gpu_mhz);
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
    frame_.memory.used_bytes = twin_.capacity.system_bytes;
    if (!frame_.memory.page_cache_bytes) frame_.memory.page_cache_bytes = 0;
    frame_.processes.clear();
    if (work_.stage().network.empty()) return;
    const double held = work_.memory_bytes();
    frame_.memory.used_bytes = twin_.capacity.system_bytes + held;
    frame_.memory.page_cache_bytes = work_.page_cache_bytes();
    frame_.processes.push_back(
        {1,
         fmt::format("{} {}", work_.stage().network, phase_name(work_.stage().phase)),
         core_s_ / seconds,
         held,
         {},
         frame_.gpu_busy});
  }

  TwinBoard twin_;
  FrameOptions options_;
  Presets presets_;
  BoardFrame frame_;
  BoardAtWork work_;
  WorkPiece now_;
  BoardHeat heat_;
  TwinRailPower energy_j_{};
  double core_s_ = 0, gpu_s_ = 0, at_s_ = 0;
  std::optional<PowerMode> chosen_;
  std::string preset_, chosen_preset_;
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
