// Power limit and locked clocks of an NVIDIA GPU, by its management library (NVML API reference,
// "Device Commands").
#include "device/knobs/nvidia_knobs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/clock.h"
#include "base/distinct.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr double mw_per_w = 1e3;
constexpr double limit_step_w = 5;
// Drivers round limits to whole watts, and clocks to a step of their own (15 MHz at most).
constexpr double limit_rounding_w = 1, clock_rounding_mhz = 15;
// The limit in force follows in milliseconds, clocks within some hundred.
constexpr int64_t patience_ns = 2'000'000'000, look_ns = 20'000'000;

Status may_set() {
  if (::geteuid() == 0) return {};
  return Error{Code::permission, "NVIDIA's driver lets only root set it", ""};
}

// Looks again until `reads` answers nothing, or for as long as drivers lag.
Status wait_for(const std::function<Status()>& reads) {
  const int64_t deadline_ns = monotonic_ns() + patience_ns;
  while (true) {
    Status status = reads();
    if (status.ok() || monotonic_ns() >= deadline_ns) return status;
    sleep_until_ns(monotonic_ns() + look_ns);
  }
}

class PowerLimit final : public Knob {
 public:
  PowerLimit(KnobPlace place, NvidiaGpu gpu, std::vector<double> values)
      : Knob(named_axis(axis::power_limit_w, std::move(values))),
        place_(std::move(place)),
        gpu_(std::move(gpu)),
        setting_{place_.root, gpu_.uuid, NvidiaSetting::power_limit} {}

  Result<double> cap() const override { return watts(gpu_.api->power_limit); }
  /// The limit in force: what else limits the GPU may lie below the one that was set.
  Result<double> now() const override {
    return watts(gpu_.api->enforced_limit ? gpu_.api->enforced_limit : gpu_.api->power_limit);
  }
  Status settable() const override { return may_set(); }

  Status set(double, double high, SettingsJournal* journal) override {
    const SettingRule rounding{.above = limit_rounding_w * mw_per_w,
                               .below = limit_rounding_w * mw_per_w};
    FLYBALL_CHECK(journal->set(setting_, fmt::format("{:.0f}", high * mw_per_w), rounding));
    return wait_for([&] { return in_force(high); });
  }

 private:
  Result<double> watts(const std::function<int(NvmlDevice, unsigned*)>& entry) const {
    unsigned milliwatts = 0;
    const int code = entry ? entry(gpu_.device, &milliwatts) : int{nvml_not_supported};
    FLYBALL_CHECK(nvml_status(*gpu_.api, code, "power_limit_w"));
    return milliwatts / mw_per_w;
  }
  Status in_force(double asked) const {
    FLYBALL_ASSIGN(const double got, now());
    if (std::abs(got - asked) <= limit_rounding_w) return {};
    return Error{Code::unavailable, fmt::format("the limit in force is {} W", format_number(got)),
                 "something else limits this GPU: a limit of the machine, or another program"};
  }

  KnobPlace place_;
  NvidiaGpu gpu_;
  NvidiaSetting setting_;
};

class LockedClock final : public Knob {
 public:
  /// `domain`: as nvmlDeviceGetClockInfo() counts, 0 the GPU, 2 its memory.
  LockedClock(KnobPlace place, NvidiaGpu gpu, const char* axis, int domain,
              NvidiaSetting::What setting, std::vector<double> values)
      : Knob(named_axis(axis, std::move(values))),
        place_(std::move(place)),
        gpu_(std::move(gpu)),
        domain_(domain),
        setting_{place_.root, gpu_.uuid, setting} {}

  Result<double> cap() const override {
    if (set_mhz_ > 0) return set_mhz_;
    return Error{Code::unavailable,
                 axis().name + ": NVIDIA's library does not tell where a clock is locked", ""};
  }
  Result<double> now() const override {
    unsigned mhz = 0;
    const int code =
        gpu_.api->clock ? gpu_.api->clock(gpu_.device, domain_, &mhz) : int{nvml_not_supported};
    FLYBALL_CHECK(nvml_status(*gpu_.api, code, axis().name));
    return static_cast<double>(mhz);
  }
  Status settable() const override { return may_set(); }

  // An idle GPU clocks lower than its lock: only what lies above it did not take. What a busy one
  // does is looked at in the trial.
  Status set(double low, double high, SettingsJournal* journal) override {
    FLYBALL_CHECK(journal->set(setting_, fmt::format("{:.0f},{:.0f}", low, high), {.fluid = true}));
    set_mhz_ = high;
    return wait_for([&]() -> Status {
      FLYBALL_ASSIGN(const double got, now());
      if (got <= high + clock_rounding_mhz) return {};
      return Error{Code::unavailable, fmt::format("it reads {} MHz", format_number(got)),
                   "the driver took the lock and does not keep it: does another program set it?"};
    });
  }
  // The journal unlocks it.
  Status undo() override {
    set_mhz_ = 0;
    return {};
  }

 private:
  KnobPlace place_;
  NvidiaGpu gpu_;
  int domain_;
  NvidiaSetting setting_;
  double set_mhz_ = 0;  // 0: not by us
};

constexpr unsigned most_clocks = 2048;
using Clocks = std::array<unsigned, most_clocks>;

std::vector<double> ascending(const Clocks& clocks, unsigned count) {
  std::vector<double> list(clocks.begin(), clocks.begin() + std::min(count, most_clocks));
  make_distinct(list);
  std::erase(list, 0.0);
  return list;
}

Result<std::vector<double>> memory_clocks(const NvidiaGpu& gpu) {
  Clocks clocks{};
  unsigned count = most_clocks;
  const int code = gpu.api->memory_clocks
                       ? gpu.api->memory_clocks(gpu.device, &count, clocks.data())
                       : int{nvml_not_supported};
  FLYBALL_CHECK(nvml_status(*gpu.api, code, "the driver lists no memory clocks"));
  auto list = ascending(clocks, count);
  if (list.empty()) return Error{Code::unavailable, "the driver lists no memory clocks", ""};
  return list;
}

Result<std::vector<double>> clocks_at(const NvidiaGpu& gpu, double memory_mhz) {
  Clocks clocks{};
  unsigned count = most_clocks;
  const int code = gpu.api->graphics_clocks
                       ? gpu.api->graphics_clocks(gpu.device, static_cast<unsigned>(memory_mhz),
                                                  &count, clocks.data())
                       : int{nvml_not_supported};
  FLYBALL_CHECK(nvml_status(*gpu.api, code, "the driver lists no clocks"));
  auto list = ascending(clocks, count);
  if (list.empty()) return Error{Code::unavailable, "the driver lists no clocks", ""};
  return list;
}

// Whole steps between the driver's limits, with both, the one in force and its default.
Result<std::vector<double>> limits_of(const NvidiaGpu& gpu) {
  const NvmlApi& api = *gpu.api;
  unsigned least = 0, most = 0, present = 0, usual = 0;
  if (!api.power_limits || !api.power_limit || !api.set_power_limit)
    return Error{Code::unavailable, "this driver sets no power limit", ""};
  FLYBALL_CHECK(nvml_status(api, api.power_limits(gpu.device, &least, &most), "its limits"));
  FLYBALL_CHECK(nvml_status(api, api.power_limit(gpu.device, &present), "its limit"));
  if (least == 0 || most < least)
    return Error{Code::corrupt,
                 fmt::format("the driver names limits from {} to {} mW", least, most), ""};
  std::vector<double> values = {least / mw_per_w, most / mw_per_w, present / mw_per_w};
  if (api.default_limit && api.default_limit(gpu.device, &usual) == nvml_success)
    values.push_back(usual / mw_per_w);
  const auto first = static_cast<int64_t>(std::ceil(least / mw_per_w / limit_step_w));
  const auto last = static_cast<int64_t>(most / mw_per_w / limit_step_w);
  for (int64_t step = first; step <= last; ++step)
    values.push_back(static_cast<double>(step) * limit_step_w);
  make_distinct(values);
  std::erase_if(values, [&](double w) { return w < least / mw_per_w || w > most / mw_per_w; });
  return values;
}

AxisGap missing(const char* axis, const Error& why) {
  return {{axis}, why.within(fmt::format("{} cannot be set", axis))};
}

}  // namespace

void add_nvidia_knobs(const KnobPlace& place, const NvidiaGpu& gpu, std::vector<KnobPtr>& knobs,
                      std::vector<AxisGap>& gaps) {
  if (gpu.mig) {
    gaps.push_back({{axis::power_limit_w, axis::gpu_mhz, axis::mem_mhz},
                    {Code::unavailable,
                     fmt::format("{} is cut into slices (MIG): its clocks and its power limit "
                                 "are left alone",
                                 gpu.name),
                     "they belong to the whole GPU, which others may use as well"}});
    return;
  }
  if (const auto limits = limits_of(gpu))
    knobs.push_back(std::make_unique<PowerLimit>(place, gpu, *limits));
  else
    gaps.push_back(missing(axis::power_limit_w, limits.error()));
  const auto memory = memory_clocks(gpu);
  const auto clocks = memory ? clocks_at(gpu, memory->back()) : memory;
  if (!clocks || !gpu.api->lock_gpu || !gpu.api->unlock_gpu) {
    gaps.push_back(missing(
        axis::gpu_mhz,
        !clocks ? clocks.error() : Error{Code::unavailable, "this driver locks no clocks", ""}));
    return;
  }
  knobs.push_back(std::make_unique<LockedClock>(place, gpu, axis::gpu_mhz, 0,
                                                NvidiaSetting::gpu_lock, *clocks));
  if (!gpu.api->lock_memory || !gpu.api->unlock_memory) {
    gaps.push_back(
        missing(axis::mem_mhz, {Code::unavailable, "this driver locks no memory clocks", ""}));
    return;
  }
  // Low memory clocks come with low clocks of the GPU: a grid over both holds only those that go
  // with all of them.
  std::vector<double> free, bound;
  for (double mhz : *memory) {
    const auto beside = clocks_at(gpu, mhz);
    (beside && *beside == *clocks ? free : bound).push_back(mhz);
  }
  if (free.size() > 1)
    knobs.push_back(std::make_unique<LockedClock>(place, gpu, axis::mem_mhz, 2,
                                                  NvidiaSetting::memory_lock, free));
  if (bound.empty()) return;
  std::vector<std::string> names;
  for (double mhz : bound) names.push_back(format_number(mhz));
  gaps.push_back({{axis::mem_mhz},
                  {Code::unavailable,
                   fmt::format("mem_mhz {} {} left out: the driver pairs {} with some clocks of "
                               "the GPU only",
                               join(names, ", "), names.size() == 1 ? "is" : "are",
                               names.size() == 1 ? "it" : "them"),
                   ""}});
}

}  // namespace flyball
