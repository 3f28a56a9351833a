#include "profile/characterise/gpu_use.h"

#include <algorithm>

#include "base/statistics.h"

namespace flyball {
namespace {

std::vector<double> values_between(const std::vector<Trace>& traces, const std::string& sensor,
                                   int64_t begin_ns, int64_t end_ns) {
  std::vector<double> values;
  for (const Trace& trace : traces)
    if (trace.info.name == sensor)
      for (const Sample& sample : trace.samples)
        if (sample.time_ns >= begin_ns && sample.time_ns < end_ns) values.push_back(sample.value);
  return values;
}

std::optional<double> mean_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

}  // namespace

std::optional<GpuUse> gpu_use_between(const std::vector<Trace>& traces, const std::string& compute,
                                      int64_t begin_ns, int64_t end_ns) {
  const size_t colon = compute.find(':');
  const std::string gpu = "gpu" + (colon == std::string::npos ? "0" : compute.substr(colon + 1));
  GpuUse use;
  use.load_pct = mean_of(values_between(traces, gpu + "_busy", begin_ns, end_ns));
  use.clock_mhz = mean_of(values_between(traces, gpu + "_mhz", begin_ns, end_ns));
  const auto memory = values_between(traces, gpu + "_memory", begin_ns, end_ns);
  if (!memory.empty()) use.memory_bytes = *std::ranges::max_element(memory);
  return use.known() ? std::optional(use) : std::nullopt;
}

}  // namespace flyball
