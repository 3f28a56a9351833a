#include "telemetry/sampling/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "telemetry/sampling/counter.h"

namespace flyball {
namespace {

constexpr int64_t kLongestPauseNs = 1'000'000'000;

// Text from foreign places may be no UTF-8, which JSON does not bear.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double microseconds(int64_t ns) {
  return static_cast<double>(ns) * 1e-3;
}

// A counter as power: one point per new value.
std::vector<Sample> slope_of(const Trace& trace) {
  std::vector<Sample> power;
  UnwrappedCounter counter(trace.info);
  const Sample* changed = nullptr;
  double changed_amount = 0;
  for (const Sample& sample : trace.samples) {
    const double amount = counter.add(sample.time_ns, sample.value);
    if (changed != nullptr && changed->value == sample.value) continue;
    if (changed != nullptr && !counter.last_was_reset()) {
      const double seconds = static_cast<double>(sample.time_ns - changed->time_ns) * 1e-9;
      power.push_back({changed->time_ns, (amount - changed_amount) / seconds});
    }
    changed = &sample;
    changed_amount = amount;
  }
  return power;
}

void add_counter_events(const Trace& trace, int64_t origin_ns, std::string& events) {
  const bool counter = trace.info.kind == SensorKind::energy_counter;
  const std::string name =
      quoted(fmt::format("{} ({})", trace.info.name, counter ? "W" : trace.info.unit));
  for (const Sample& sample : without_repeats(counter ? slope_of(trace) : trace.samples))
    if (std::isfinite(sample.value))
      events += fmt::format(
          ",\n{{\"ph\":\"C\",\"pid\":1,\"name\":{},\"ts\":{:.3f},\"args\":{{\"value\":{}}}}}", name,
          microseconds(sample.time_ns - origin_ns), sample.value);
}

}  // namespace

std::vector<Sample> without_repeats(const std::vector<Sample>& samples) {
  std::vector<Sample> kept;
  for (size_t i = 0; i < samples.size(); ++i) {
    const bool repeat = !kept.empty() && i + 1 < samples.size() &&
                        samples[i].value == kept.back().value &&
                        samples[i].value == samples[i + 1].value &&
                        samples[i + 1].time_ns - kept.back().time_ns <= kLongestPauseNs;
    if (!repeat) kept.push_back(samples[i]);
  }
  return kept;
}

std::string traces_csv(const std::vector<Trace>& traces, int64_t origin_ns) {
  struct Row {
    int64_t time_ns;
    size_t trace;
    double value;
  };
  std::vector<Row> rows;
  for (size_t i = 0; i < traces.size(); ++i)
    for (const Sample& sample : without_repeats(traces[i].samples))
      rows.push_back({sample.time_ns, i, sample.value});
  std::ranges::stable_sort(rows, {}, &Row::time_ns);
  std::string text = "time_s,sensor,unit,value\n";
  for (const Row& row : rows) {
    const SensorInfo& info = traces[row.trace].info;
    text += csv_line({fmt::format("{:.6f}", static_cast<double>(row.time_ns - origin_ns) * 1e-9),
                      info.name, info.unit, fmt::format("{}", row.value)});
  }
  return text;
}

std::string chrome_trace(const std::vector<Trace>& traces, const std::vector<Span>& spans,
                         int64_t origin_ns) {
  std::string events = R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"flyball"}})";
  std::vector<std::string> tracks;
  for (const Span& span : spans) {
    auto track = std::ranges::find(tracks, span.track);
    if (track == tracks.end()) {
      tracks.push_back(span.track);
      track = tracks.end() - 1;
      events += fmt::format(
          ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}"
          "}}",
          tracks.size(), quoted(span.track));
    }
    events += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":{},\"ts\":{:.3f},\"dur\":{:.3f}}}",
        track - tracks.begin() + 1, quoted(span.name), microseconds(span.begin_ns - origin_ns),
        microseconds(span.end_ns - span.begin_ns));
  }
  for (const Trace& trace : traces) add_counter_events(trace, origin_ns, events);
  return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + events + "\n]}\n";
}

}  // namespace flyball
