#include "telemetry/sensors/nvidia.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

#include "base/text.h"
#include "telemetry/sensors/nvml_api.h"

namespace flyball {
namespace {

constexpr uint64_t kPowerCap = 0x4, kHardwareSlowdown = 0x8, kThermalSoftware = 0x20,
                   kThermalHardware = 0x40, kPowerBrake = 0x80;

// The energy counter moves in steps of 20 to 100 ms, by model; the power sensor's window is longer.
constexpr double kEnergyPeriodS = 0.1;
constexpr double kMaxPlausibleW = 5000;

// Reads one metric into `value`; returns the library's code.
using Read = std::function<int(double& value)>;

class NvmlSensor final : public Sensor {
 public:
  NvmlSensor(SensorInfo info, const NvmlApi& api, Read read)
      : Sensor(std::move(info)), api_(api), read_(std::move(read)) {}
  Result<double> read() override {
    double value = 0;
    const int code = read_(value);
    if (code == nvml_success) return value;
    const Code kind = code == nvml_no_permission ? Code::permission
                      : code == nvml_lost        ? Code::io
                                                 : Code::unavailable;
    return Error{kind, info().name + ": " + api_.message(code),
                 code == nvml_no_permission ? "run as root" : ""};
  }

 private:
  const NvmlApi& api_;
  Read read_;
};

template <class Raw, class Entry, class... Argument>
Read scaled(Entry entry, double scale, NvmlDevice device, Argument... argument) {
  if (entry == nullptr) return [](double&) { return int{nvml_not_supported}; };
  return [=](double& value) {
    Raw raw{};
    const int code = entry(device, argument..., &raw);
    value = static_cast<double>(raw) * scale;
    return code;
  };
}

template <class Struct, class Field, class Entry>
Read field(Entry entry, Field Struct::*member, NvmlDevice device) {
  if (entry == nullptr) return [](double&) { return int{nvml_not_supported}; };
  return [=](double& value) {
    Struct raw{};
    const int code = entry(device, &raw);
    value = static_cast<double>(raw.*member);
    return code;
  };
}

class Gpu {
 public:
  Gpu(const NvmlApi& api, unsigned index, NvmlDevice device, bool visible, SensorList& list)
      : api_(api), index_(index), device_(device), total_(visible ? "gpu" : ""), list_(list) {}

  void add_all() {
    using ull = unsigned long long;
    const bool counter =
        add("energy", "J", SensorKind::energy_counter, total_,
            scaled<ull>(api_.energy, 1e-3, device_), kEnergyPeriodS, kMaxPlausibleW);
    add("power", "W", SensorKind::power, counter ? "" : total_,
        scaled<unsigned>(api_.power, 1e-3, device_), kEnergyPeriodS);
    add("mhz", "MHz", SensorKind::gauge, "", scaled<unsigned>(api_.clock, 1, device_, 1));
    add("mem_mhz", "MHz", SensorKind::gauge, "", scaled<unsigned>(api_.clock, 1, device_, 2));
    add("busy", "%", SensorKind::gauge, "",
        field(api_.utilization, &NvmlUtilization::gpu, device_));
    add("mem_busy", "%", SensorKind::gauge, "",
        field(api_.utilization, &NvmlUtilization::memory, device_));
    add("throttle", "bits", SensorKind::gauge, "", scaled<ull>(api_.throttle_reasons, 1, device_),
        0, 0, Throttling::gpu_bits);
    add("temperature", "C", SensorKind::gauge, "",
        scaled<unsigned>(api_.temperature, 1, device_, 0));
    add("memory", "B", SensorKind::gauge, "", field(api_.memory, &NvmlMemory::used, device_));
  }

 private:
  bool add(const char* metric, const char* unit, SensorKind kind, const std::string& total,
           Read read, double period_s = 0, double max_rate = 0,
           Throttling throttling = Throttling::none) {
    auto sensor =
        std::make_shared<NvmlSensor>(SensorInfo{.name = fmt::format("gpu{}_{}", index_, metric),
                                                .unit = unit,
                                                .kind = kind,
                                                .source = "nvml",
                                                .total = total,
                                                .period_s = period_s,
                                                .max_rate = max_rate,
                                                .throttling = throttling},
                                     api_, std::move(read));
    const auto value = sensor->read();
    if (value)
      list_.sensors.push_back(std::move(sensor));
    else
      list_.gaps.push_back(value.error());
    return value.ok();
  }

  const NvmlApi& api_;
  unsigned index_;
  NvmlDevice device_;
  std::string total_;
  SensorList& list_;
};

// CUDA takes indices, or unambiguous beginnings of identifiers.
bool is_visible(const std::optional<std::string>& visible, unsigned index,
                const std::string& uuid) {
  if (!visible) return true;
  return std::ranges::any_of(split(*visible, ','), [&](const std::string& entry) {
    const std::string name(trim(entry));
    return parse_integer(name) == static_cast<long long>(index) ||
           (name.starts_with("GPU-") && uuid.starts_with(name));
  });
}

}  // namespace

SensorList open_nvidia(const NvidiaOptions& options) {
  SensorList list;
  const auto api = NvmlApi::open(options.library);
  if (!api) {
    list.gaps.push_back(api.error());
    return list;
  }
  unsigned count = 0;
  if (const int code = (*api)->device_count(&count); code != nvml_success || count == 0)
    list.gaps.push_back({Code::unavailable,
                         "no NVIDIA GPU: " + (code != nvml_success ? (*api)->message(code)
                                                                   : std::string("none found")),
                         "nvidia-smi should list it"});
  for (unsigned index = 0; index < count; ++index) {
    NvmlDevice device = nullptr;
    if (const int code = (*api)->device(index, &device); code != nvml_success) {
      list.gaps.push_back(
          {Code::unavailable, fmt::format("gpu{}: {}", index, (*api)->message(code)), ""});
      continue;
    }
    const bool visible = is_visible(options.visible, index, nvml_text((*api)->uuid, device));
    Gpu(**api, index, device, visible, list).add_all();
  }
  return list;
}

std::optional<std::string> visible_gpus() {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> throttle_reasons(uint64_t bits) {
  std::vector<std::string> reasons;
  if (bits & (kThermalSoftware | kThermalHardware)) reasons.emplace_back("thermal slowdown");
  if (bits & kPowerBrake) reasons.emplace_back("power brake");
  if ((bits & kHardwareSlowdown) && reasons.empty()) reasons.emplace_back("hardware slowdown");
  if (bits & kPowerCap) reasons.emplace_back("power cap");
  return reasons;
}

bool is_throttled(uint64_t bits) {
  return (bits & (kHardwareSlowdown | kThermalSoftware | kThermalHardware | kPowerBrake)) != 0;
}

}  // namespace flyball
