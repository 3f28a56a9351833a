// Frames of this machine, or of a tree of the files that another one showed.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/interrupt.h"
#include "device/host/fixed_settings.h"
#include "device/measuring.h"
#include "device/modes/mode.h"
#include "device/modes/mode_dispatcher.h"
#include "device/modes/presets.h"
#include "device/registry/live_knobs.h"
#include "monitor/frame_reader.h"
#include "monitor/live_sensors.h"
#include "telemetry/process/top_processes.h"
#include "telemetry/sampling/throttling.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t slow_ns = 950'000'000;      // memory, heat, processes, mode
constexpr int64_t holder_ns = 1'900'000'000;  // to ask takes the board's lock for a moment

std::optional<double> value_of_sensor(const SensorPtr& sensor) {
  if (!sensor) return {};
  const auto value = sensor->read();
  return value ? std::optional(*value) : std::nullopt;
}

class LiveFrames final : public FrameReader {
 public:
  LiveFrames(BoardName name, FrameOptions options, BoardIdentity identity,
             std::unique_ptr<BoardDevice> device)
      : name_(std::move(name)),
        options_(std::move(options)),
        identity_(std::move(identity)),
        device_(std::move(device)),
        presets_(read_presets(options_.root, *device_)),
        sensors_(open_live_sensors(options_.root, options_.interval)),
        processes_(options_.root) {
    frame_.board_id = identity_.id;
    frame_.board_name = identity_.name;
    frame_.total = sensors_.total;
    const double bytes = memory_bytes(options_.root);
    if (bytes > 0) frame_.memory.total_bytes = bytes;
    for (const std::vector<SensorPtr>* list : {&sensors_.throttling, &sensors_.slow_throttling})
      for (const SensorPtr& sensor : *list) {
        throttling_.emplace_back();
        throttling_.back().info = sensor->info();
      }
  }

  bool live() const override { return true; }

  // By a device of its own, as the command does: this one only looks.
  Result<std::string> set_mode(const std::string& text) override {
    ModeRequest request;
    if (text.find('=') == std::string::npos) {
      request.preset = text;
    } else {
      FLYBALL_ASSIGN(request.mode, parse_mode(text));
    }
    FLYBALL_ASSIGN(const auto device, open_live_knobs(name_, identity_, options_.root));
    const WholeWork whole;
    ModeDispatcher dispatcher(*device, options_.root);
    FLYBALL_ASSIGN(const PowerMode mode, dispatcher.set(request));
    FLYBALL_CHECK(dispatcher.keep());
    slow_read_ns_ = holder_read_ns_ = 0;
    return fmt::format("set and read back: {}; `flyball mode restore` puts back what was before",
                       describe(mode.values));
  }
  std::vector<Preset> presets() const override { return presets_.list; }

  Result<std::optional<BoardFrame>> read() override {
    const int64_t now_ns = monotonic_ns();
    if (first_ns_ == 0) first_ns_ = now_ns;
    frame_.time = wall_clock_utc();
    frame_.at_s = static_cast<double>(now_ns - first_ns_) * 1e-9;
    const bool slowly = slow_read_ns_ == 0 || now_ns - slow_read_ns_ >= slow_ns;
    gone_.clear();
    read_rails(slowly);
    read_clocks();
    if (slowly) look_for_cores();
    read_load();
    read_throttling(now_ns, slowly);
    if (slowly) read_slowly(now_ns);
    note_cost(now_ns);
    frame_.gaps = sensors_.gaps;
    frame_.gaps.insert(frame_.gaps.end(), gone_.begin(), gone_.end());
    return std::optional(frame_);
  }

 private:
  void read_rails(bool slowly) {
    frame_.rails.clear();
    frame_.energy_j = 0;
    double sum = 0;
    bool whole = !frame_.total.empty();
    const auto take = [&](RailMeter& meter, bool now) {
      if (now) {
        if (const Status status = meter.read(); !status.ok()) gone_.push_back(status.error());
      }
      const RailFrame& rail = meter.frame();
      frame_.rails.push_back(rail);
      if (!rail.in_total) return;
      whole &= rail.power_w.has_value();
      sum += rail.power_w.value_or(0);
      frame_.energy_j += rail.energy_j;
    };
    for (RailMeter& meter : sensors_.rails) take(meter, true);
    for (RailMeter& meter : sensors_.slow_rails) take(meter, slowly);
    frame_.power_w.reset();
    if (whole) frame_.power_w = sum;
  }

  void read_clocks() {
    frame_.clocks.clear();
    for (const NamedClock& clock : sensors_.clocks) {
      const auto asked = frame_.mode.caps.values.find(clock.axis);
      ClockFrame shown{clock.name, clock.axis, {}, value_of_sensor(clock.sensor)};
      if (asked != frame_.mode.caps.values.end()) shown.asked_mhz = asked->second;
      frame_.clocks.push_back(std::move(shown));
    }
  }

  // Cores that were switched have or have not a line of their own from then on.
  void look_for_cores() {
    const auto online = read_file(options_.root / "sys/devices/system/cpu/online", 4096);
    const std::string text = online ? *online : "";
    if (looked_for_cores_ && text == online_) return;
    looked_for_cores_ = true;
    online_ = text;
    cores_ = open_core_sensors(options_.root);
  }

  void read_load() {
    frame_.cores.assign(frame_.cores.size(), std::nullopt);
    for (NamedCore& core : cores_) {
      (void)core.busy.look();
      if (core.number >= frame_.cores.size()) frame_.cores.resize(core.number + 1);
      if (const auto busy = core.busy.slope()) frame_.cores[core.number] = std::min(1.0, *busy);
    }
    frame_.gpu_busy.reset();
    for (const SensorPtr& sensor : sensors_.gpu_busy)
      if (const auto percent = value_of_sensor(sensor))
        frame_.gpu_busy = std::max(frame_.gpu_busy.value_or(0), *percent / 100);
  }

  void read_throttling(int64_t now_ns, bool slowly) {
    if (throttling_.empty()) return;
    const size_t fast = sensors_.throttling.size();
    for (size_t i = 0; i < throttling_.size(); ++i) {
      if (i >= fast && !slowly) continue;
      const SensorPtr& sensor =
          i < fast ? sensors_.throttling[i] : sensors_.slow_throttling[i - fast];
      std::vector<Sample>& samples = throttling_[i].samples;
      const auto value = value_of_sensor(sensor);
      if (!value) {
        samples.clear();
        continue;
      }
      if (samples.size() == 2) samples.erase(samples.begin());
      samples.push_back({now_ns, *value});
    }
    frame_.throttled = throttling_between(throttling_, 0, now_ns);
  }

  void read_slowly(int64_t now_ns) {
    slow_read_ns_ = now_ns;
    read_heat();
    frame_.memory.used_bytes = value_of_sensor(sensors_.memory_used);
    frame_.memory.page_cache_bytes = value_of_sensor(sensors_.page_cache);
    frame_.memory.swap_used_bytes = value_of_sensor(sensors_.swap_used);
    read_disks();
    frame_.processes.clear();
    for (ProcessUse& use : processes_.look(options_.processes))
      frame_.processes.push_back({use.pid, std::move(use.name), use.cpu_cores, use.memory_bytes,
                                  use.gpu_bytes, use.gpu_busy});
    read_mode();
    if (holder_read_ns_ != 0 && now_ns - holder_read_ns_ < holder_ns) return;
    holder_read_ns_ = now_ns;
    const BoardHolder holder = board_holder(options_.root);
    frame_.held_by = holder.now;
    frame_.kept = holder.kept;
    if (options_.root == "/") frame_.measuring = others_measuring();
  }

  void read_heat() {
    frame_.temperatures.clear();
    for (const SensorPtr& sensor : sensors_.temperatures) {
      const std::string& name = sensor->info().name;
      if (const auto celsius = value_of_sensor(sensor))
        frame_.temperatures.push_back(
            {name.starts_with("temp:") ? name.substr(5) : name, *celsius});
      else
        gone_.push_back({Code::unavailable, name + " does not read", ""});
    }
    frame_.fan.reset();
    if (const auto pwm = value_of_sensor(sensors_.fan)) frame_.fan = *pwm / 255;
    frame_.fan_rpm = value_of_sensor(sensors_.fan_rpm);
  }

  void read_disks() {
    frame_.disks.clear();
    for (NamedDisk& disk : sensors_.disks) {
      const auto read = disk.read.look(), written = disk.written.look();
      if (read && written)
        frame_.disks.push_back(
            {disk.name, *read, *written, disk.read.slope(), disk.written.slope()});
    }
  }

  void read_mode() {
    frame_.mode.caps = caps_in_force(*device_);
    frame_.mode.preset.clear();
    judge_by_caps(presets_, *device_, frame_.mode.caps);
    const auto active = std::ranges::find(presets_.list, true, &Preset::active);
    if (active != presets_.list.end()) frame_.mode.preset = active->name;
    frame_.mode.pinned = read_fixed(identity_, options_.root).dvfs_pinned;
    for (ClockFrame& clock : frame_.clocks)
      if (const auto cap = frame_.mode.caps.values.find(clock.axis);
          cap != frame_.mode.caps.values.end())
        clock.asked_mhz = cap->second;
  }

  void note_cost(int64_t now_ns) {
    const double used = process_cpu_seconds();
    frame_.own_cores.reset();
    if (cost_read_ns_ != 0 && now_ns > cost_read_ns_)
      frame_.own_cores =
          (used - cost_s_) / (static_cast<double>(now_ns - cost_read_ns_) / second_ns);
    cost_read_ns_ = now_ns;
    cost_s_ = used;
  }

  BoardName name_;
  FrameOptions options_;
  BoardIdentity identity_;
  std::unique_ptr<BoardDevice> device_;
  Presets presets_;
  LiveSensors sensors_;
  std::vector<NamedCore> cores_;
  std::vector<Trace> throttling_;  ///< the last two samples of each
  TopProcesses processes_;
  BoardFrame frame_;
  std::vector<Error> gone_;
  bool looked_for_cores_ = false;
  std::string online_;
  int64_t first_ns_ = 0, slow_read_ns_ = 0, holder_read_ns_ = 0, cost_read_ns_ = 0;
  double cost_s_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameReader>> open_live_frames(const BoardName& name,
                                                      const FrameOptions& options) {
  BoardIdentity identity = identify_board(options.root);
  FLYBALL_ASSIGN(auto device, open_live_knobs(name, identity, options.root));
  return std::unique_ptr<FrameReader>(
      std::make_unique<LiveFrames>(name, options, std::move(identity), std::move(device)));
}

}  // namespace flyball
