// A board whose knobs do nothing but take their time, and a meter that shows what its mode draws.
#pragma once

#include <functional>

#include "base/clock.h"
#include "device/device.h"
#include "device/power_meter.h"

namespace flyball {

class ScriptedDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }
  std::vector<AxisState> states() const override {
    return {{.axis = named_axis("cpu_cores", {1, 2, 4}), .own = own_cores},
            {.axis = named_axis("gpu_mhz", {300, 600}), .own = own_gpu, .asked = asked_gpu}};
  }
  PowerMode caps() const override {
    return {{{"cpu_cores", 4}, {"gpu_mhz", only_down ? setting("gpu_mhz", 600) : 600}}};
  }
  PowerMode baseline() const override { return {{{"cpu_cores", 4}, {"gpu_mhz", 600}}}; }
  /// The GPU's clock follows `lag_s` after it was set; until then it is what it was.
  Settings observed() const override {
    const bool late = static_cast<double>(monotonic_ns() - set_ns_) * 1e-9 < lag_s;
    return {{"gpu_mhz", late ? gpu_before_ : setting("gpu_mhz", 600)}};
  }
  std::vector<AxisGap> gaps() const override { return {}; }
  Status claim() override { return {}; }
  Status apply(const PowerMode& mode) override {
    const auto gpu = mode.values.find("gpu_mhz");
    const bool rises = gpu != mode.values.end() && gpu->second > setting("gpu_mhz", 600);
    if (refuse || (only_down && rises)) return Error{Code::io, "it did not take", ""};
    gpu_before_ = setting("gpu_mhz", 600);
    if (refuses && refuses(mode)) return Error{Code::io, "it did not take", ""};
    for (const auto& [axis, value] : mode.values) now.values[axis] = value;
    set_ns_ = monotonic_ns();
    applied.push_back(mode);
    if (told) told(mode);
    return {};
  }
  Status restore() override {
    const double gpu = setting("gpu_mhz", 600);
    now = {};
    if (only_down && gpu < 600) {
      now.values["gpu_mhz"] = gpu;
      return Error{Code::io, "it did not rise", ""};
    }
    if (told) told(caps());
    return {};
  }
  Status still_set() override { return stands ? stands() : Status(); }
  Status can_keep() const override { return {}; }
  Status keep() override { return {}; }

  double setting(const std::string& axis, double otherwise) const {
    const auto found = now.values.find(axis);
    return found == now.values.end() ? otherwise : found->second;
  }

  PowerMode now;
  std::vector<PowerMode> applied;
  bool own_cores = false, own_gpu = false, asked_gpu = false;
  double lag_s = 0;
  bool refuse = false;
  bool only_down = false;                        ///< the GPU's clock does not rise before a reboot
  std::function<void(const PowerMode&)> told{};  ///< of each mode that was set, or put back
  std::function<bool(const PowerMode&)> refuses{};  ///< this mode
  std::function<Status()> stands{};                 ///< is what was set still there?

 private:
  DeviceInfo info_{"scripted", "Scripted board", "board of a script"};
  int64_t set_ns_ = 0;
  double gpu_before_ = 600;
};

class ScriptedMeter final : public PowerMeter {
 public:
  explicit ScriptedMeter(std::function<double()> power_w) : power_w_(std::move(power_w)) {}
  std::string total() const override { return name; }
  std::string gap() const override { return name.empty() ? "there is no sensor" : ""; }
  Status begin() override { return {}; }
  bool settled() override { return settles; }
  void count() override { since_ns_ = monotonic_ns(); }
  int updates() override { return power_updates_wanted; }
  Result<PowerReading> lap() override {
    auto reading = end();
    count();
    return reading;
  }
  Result<PowerReading> end() override {
    PowerReading reading{.mean_w = power_w_(), .total = name, .distinct_updates = 3};
    reading.window_s = static_cast<double>(monotonic_ns() - since_ns_) * 1e-9;
    return reading;
  }

  std::string name = "module";
  bool settles = true;

 private:
  std::function<double()> power_w_;
  int64_t since_ns_ = 0;
};

}  // namespace flyball
