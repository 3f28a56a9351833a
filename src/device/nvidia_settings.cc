#include "device/nvidia_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "telemetry/sensors/nvidia_gpus.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder = "nvml";
constexpr size_t longest_identifier = 80;

bool is_identifier(const std::string& text) {
  return text.starts_with("GPU-") && text.size() <= longest_identifier &&
         std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-';
         });
}

// In the order of NvidiaSetting::What.
constexpr std::array names = {"power_limit_mw", "gpu_lock_mhz", "memory_lock_mhz"};

Result<NvidiaGpu> gpu_of(const NvidiaSetting& setting) {
  FLYBALL_ASSIGN(const auto gpus, list_nvidia_gpus(setting.root));
  const auto found = std::ranges::find(gpus, setting.gpu, &NvidiaGpu::uuid);
  if (found != gpus.end()) return *found;
  return Error{Code::not_found, fmt::format("the GPU {} is not there any more", setting.gpu),
               "nvidia-smi -L lists those there are"};
}

// The entry of the library, or that it has none.
template <class Entry, class... Arguments>
Status call(const NvidiaGpu& gpu, const NvidiaSetting& setting, Entry entry, Arguments... values) {
  const int code = entry == nullptr ? int{nvml_not_supported} : entry(gpu.device, values...);
  return nvml_status(*gpu.api, code, setting.journal_name());
}

struct Range {
  unsigned low = 0, high = 0;
};

std::optional<Range> parse_lock(const std::string& value) {
  const std::vector<std::string> ends = split(value, ',');
  if (ends.size() != 2) return {};
  const auto low = parse_integer(ends[0]), high = parse_integer(ends[1]);
  if (!low || !high || *low < 0 || *high < *low || *high > 100'000) return {};
  return Range{static_cast<unsigned>(*low), static_cast<unsigned>(*high)};
}

Error no_value(const NvidiaSetting& setting, const std::string& value) {
  return {Code::invalid_argument,
          fmt::format("'{}' is no value of {}", value, setting.journal_name()), ""};
}

Status set_limit(const NvidiaGpu& gpu, const NvidiaSetting& setting, const std::string& value) {
  const auto milliwatts = parse_integer(value);
  if (!milliwatts || *milliwatts <= 0 || *milliwatts > 100'000'000) return no_value(setting, value);
  return call(gpu, setting, gpu.api->set_power_limit, static_cast<unsigned>(*milliwatts));
}

Status set_lock(const NvidiaGpu& gpu, const NvidiaSetting& setting, const std::string& value) {
  const bool memory = setting.what == NvidiaSetting::memory_lock;
  const NvmlApi& api = *gpu.api;
  if (value == NvidiaSetting::unlocked)
    return call(gpu, setting, memory ? api.unlock_memory : api.unlock_gpu);
  const auto range = parse_lock(value);
  if (!range) return no_value(setting, value);
  return call(gpu, setting, memory ? api.lock_memory : api.lock_gpu, range->low, range->high);
}

}  // namespace

std::string NvidiaSetting::journal_name() const {
  return fmt::format("{}/{}/{}", folder, gpu, names.at(what));
}

std::optional<NvidiaSetting> NvidiaSetting::of_journal(const fs::path& root,
                                                       const std::string& name) {
  const std::vector<std::string> parts = split(name, '/');
  if (parts.size() != 3 || parts[0] != folder || !is_identifier(parts[1])) return {};
  const auto* const what = std::ranges::find(names, parts[2]);
  if (what == names.end()) return {};
  return NvidiaSetting{root, parts[1], static_cast<What>(what - names.begin())};
}

Result<std::string> NvidiaSetting::read() const {
  FLYBALL_ASSIGN(const NvidiaGpu named, gpu_of(*this));
  if (!is_told()) return std::string(unlocked);
  unsigned milliwatts = 0;
  FLYBALL_CHECK(call(named, *this, named.api->power_limit, &milliwatts));
  return fmt::format("{}", milliwatts);
}

Status NvidiaSetting::write(const std::string& value) const {
  FLYBALL_ASSIGN(const NvidiaGpu named, gpu_of(*this));
  const std::string text(trim(value));
  return is_told() ? set_limit(named, *this, text) : set_lock(named, *this, text);
}

}  // namespace flyball
