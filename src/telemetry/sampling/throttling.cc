#include "telemetry/sampling/throttling.h"

#include <algorithm>
#include <span>

#include "telemetry/sensors/firmware_tool.h"
#include "telemetry/sensors/nvidia.h"

namespace flyball {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::count(list, text) == 0) list.push_back(text);
}

// What its samples of some time say.
void add_reasons(const SensorInfo& info, std::span<const Sample> samples,
                 std::vector<std::string>& reasons) {
  for (const Sample& sample : samples) {
    const bool rose = sample.value > samples.front().value;
    const auto bits = static_cast<uint64_t>(std::max(sample.value, 0.0));
    if (info.throttling == Throttling::cpu_events && rose)
      add_once(reasons, "cpu thermal slowdown");
    if (info.throttling == Throttling::over_current_events && rose)
      add_once(reasons, "over-current");
    if (info.throttling == Throttling::firmware_bits)
      for (const std::string& reason : firmware_throttle_reasons(bits)) add_once(reasons, reason);
    if (info.throttling == Throttling::gpu_bits && is_throttled(bits))
      for (const std::string& reason : throttle_reasons(bits))
        add_once(reasons, info.name.substr(0, info.name.find('_')) + " " + reason);
  }
}

std::span<const Sample> samples_between(const Trace& trace, int64_t begin_ns, int64_t end_ns) {
  const auto& samples = trace.samples;
  const auto first = std::ranges::lower_bound(samples, begin_ns, {}, &Sample::time_ns);
  const auto last = std::ranges::upper_bound(samples, end_ns, {}, &Sample::time_ns);
  if (first >= last) return {};
  return {first, last};
}

}  // namespace

std::optional<std::vector<std::string>> throttling_between(const std::vector<Trace>& traces,
                                                           int64_t begin_ns, int64_t end_ns) {
  std::vector<std::string> reasons;
  bool watched = false, all_told = true;
  for (const Trace& trace : traces) {
    if (trace.info.throttling == Throttling::none) continue;
    const auto samples = samples_between(trace, begin_ns, end_ns);
    watched = true;
    all_told = all_told && !samples.empty();
    add_reasons(trace.info, samples, reasons);
  }
  if (reasons.empty() && !(watched && all_told)) return {};
  return reasons;
}

void ThrottlingSum::add(const std::optional<std::vector<std::string>>& stretch) {
  any_ = true;
  all_known_ = all_known_ && stretch;
  if (!stretch) return;
  for (const std::string& reason : *stretch) add_once(reasons_, reason);
}

std::optional<std::vector<std::string>> ThrottlingSum::told() const {
  if (reasons_.empty() && !(any_ && all_known_)) return {};
  return reasons_;
}

}  // namespace flyball
