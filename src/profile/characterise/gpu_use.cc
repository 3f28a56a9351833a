#include "profile/characterise/gpu_use.h"

#include <algorithm>
#include <set>

#include "base/statistics.h"
#include "base/text.h"

namespace flyball {
namespace {

// Of the first of `gpus` that tells it: a Jetson's own GPU may be known to NVML only in part.
std::vector<double> values_between(const std::vector<Trace>& traces,
                                   const std::vector<std::string>& gpus, const std::string& figure,
                                   int64_t begin_ns, int64_t end_ns) {
  std::vector<double> values;
  for (const std::string& gpu : gpus) {
    for (const Trace& trace : traces)
      if (trace.info.name == gpu + figure)
        for (const Sample& sample : trace.samples)
          if (sample.time_ns >= begin_ns && sample.time_ns < end_ns) values.push_back(sample.value);
    if (!values.empty()) break;
  }
  return values;
}

std::optional<double> mean_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

// "gpu12_busy" is of number 12, "gpu_busy" of 0. Nothing for what is no GPU's.
std::optional<size_t> number_in(const std::string& sensor) {
  if (!sensor.starts_with("gpu")) return {};
  const std::string number = sensor.substr(3, sensor.find('_') - 3);
  if (number.empty()) return 0;
  const auto parsed = parse_integer(number);
  return parsed && *parsed >= 0 ? std::optional(static_cast<size_t>(*parsed)) : std::nullopt;
}

}  // namespace

std::optional<GpuUse> gpu_use_between(const std::vector<Trace>& traces, size_t gpu,
                                      int64_t begin_ns, int64_t end_ns) {
  std::vector<std::string> names = {"gpu" + std::to_string(gpu)};
  if (gpu == 0) names.emplace_back("gpu");
  const auto of = [&](const char* figure) {
    return values_between(traces, names, figure, begin_ns, end_ns);
  };
  GpuUse use;
  use.gpu = gpu;
  use.load_pct = mean_of(of("_busy"));
  use.clock_mhz = mean_of(of("_mhz"));
  const auto memory = of("_memory");
  if (!memory.empty()) use.memory_bytes = *std::ranges::max_element(memory);
  return use.known() ? std::optional(use) : std::nullopt;
}

std::optional<GpuUse> busiest_gpu_between(const std::vector<Trace>& traces, int64_t begin_ns,
                                          int64_t end_ns) {
  std::set<size_t> gpus;
  for (const Trace& trace : traces)
    if (const auto gpu = number_in(trace.info.name)) gpus.insert(*gpu);
  std::optional<GpuUse> busiest;
  for (const size_t gpu : gpus) {
    const auto use = gpu_use_between(traces, gpu, begin_ns, end_ns);
    if (use && (!busiest || use->load_pct.value_or(-1) > busiest->load_pct.value_or(-1)))
      busiest = use;
  }
  return busiest;
}

}  // namespace flyball
