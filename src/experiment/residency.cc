#include "experiment/residency.h"

#include <cmath>
#include <map>

#include "base/json.h"

namespace flyball {
namespace {

constexpr size_t most_clock_values = 40;
constexpr double coarse_mhz = 100;

std::map<double, size_t> counted(const Trace& trace, int64_t begin_ns, int64_t end_ns,
                                 double step_mhz) {
  std::map<double, size_t> counts;
  for (const Sample& sample : trace.samples)
    if (sample.time_ns >= begin_ns && sample.time_ns <= end_ns)
      ++counts[std::round(sample.value / step_mhz) * step_mhz];
  return counts;
}

}  // namespace

double ClockResidency::below(double mhz) const {
  double share = 0;
  for (const ClockShare& value : values)
    if (value.mhz < mhz) share += value.share;
  return share;
}

std::vector<ClockResidency> residency_of(const std::vector<Trace>& traces, int64_t begin_ns,
                                         int64_t end_ns) {
  std::vector<ClockResidency> clocks;
  for (const Trace& trace : traces) {
    if (trace.info.unit != "MHz") continue;
    ClockResidency clock{.clock = trace.info.name, .step_mhz = 0, .values = {}};
    auto counts = counted(trace, begin_ns, end_ns, 1);
    if (counts.size() > most_clock_values) {
      clock.step_mhz = coarse_mhz;
      counts = counted(trace, begin_ns, end_ns, coarse_mhz);
    }
    size_t all = 0;
    for (const auto& [mhz, count] : counts) all += count;
    for (const auto& [mhz, count] : counts)
      clock.values.push_back({mhz, static_cast<double>(count) / static_cast<double>(all)});
    if (all > 0) clocks.push_back(std::move(clock));
  }
  return clocks;
}

Json residency_json(const std::vector<ClockResidency>& clocks) {
  Json json = Json::object();
  for (const ClockResidency& clock : clocks) {
    Json values = Json::array();
    for (const ClockShare& value : clock.values)
      values.push_back({{"mhz", value.mhz}, {"share", value.share}});
    json[clock.clock] = {{"step_mhz", clock.step_mhz}, {"values", values}};
  }
  return json;
}

std::vector<ClockResidency> parse_residency(const Json& json) {
  std::vector<ClockResidency> clocks;
  for (const auto& [name, told] : json.items()) {
    ClockResidency clock{.clock = name, .step_mhz = told.at("step_mhz"), .values = {}};
    for (const Json& value : told.at("values"))
      clock.values.push_back({value.at("mhz"), value.at("share")});
    clocks.push_back(std::move(clock));
  }
  return clocks;
}

}  // namespace flyball
