#include "telemetry/sampling/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/json.h"
#include "base/json_line.h"
#include "telemetry/sampling/counter.h"
#include "telemetry/sampling/counter_timeline.h"

namespace flyball {
namespace {

constexpr int64_t kLongestPauseNs = 1'000'000'000;

double microseconds(int64_t ns) {
  return static_cast<double>(ns) / 1000;
}

// One event at a time becomes text: a long run is never there as a tree as well.
void add_event(const Json& event, std::string& events) {
  if (!events.empty()) events += ",\n";
  events += json_line(event);
}

// A counter as power: one point per update.
std::vector<Sample> slope_of(const Trace& trace) {
  const CounterTimeline counter(trace);
  std::vector<Sample> power;
  for (size_t i = 1; i < counter.knots().size(); ++i)
    if (counter.knots()[i].known)
      power.push_back({counter.knots()[i - 1].time_ns, counter.watts(i)});
  return power;
}

void add_counter_events(const Trace& trace, int64_t origin_ns, std::string& events) {
  const bool counter = trace.info.kind == SensorKind::energy_counter;
  const std::string name = fmt::format("{} ({})", trace.info.name, counter ? "W" : trace.info.unit);
  for (const Sample& sample : without_repeats(counter ? slope_of(trace) : trace.samples))
    if (std::isfinite(sample.value))
      add_event({{"ph", "C"},
                 {"pid", 1},
                 {"name", name},
                 {"ts", microseconds(sample.time_ns - origin_ns)},
                 {"args", {{"value", sample.value}}}},
                events);
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
  std::string events;
  const auto add_name = [&](Json of, const char* what, const std::string& name) {
    Json event{{"ph", "M"}, {"pid", 1}};
    event.update(of);
    event["name"] = what;
    event["args"] = {{"name", name}};
    add_event(event, events);
  };
  add_name(Json::object(), "process_name", "flyball");
  std::vector<std::string> tracks;
  for (const Span& span : spans) {
    auto track = std::ranges::find(tracks, span.track);
    if (track == tracks.end()) {
      tracks.push_back(span.track);
      track = tracks.end() - 1;
      add_name({{"tid", tracks.size()}}, "thread_name", span.track);
    }
    add_event({{"ph", "X"},
               {"pid", 1},
               {"tid", track - tracks.begin() + 1},
               {"name", span.name},
               {"ts", microseconds(span.begin_ns - origin_ns)},
               {"dur", microseconds(span.end_ns - span.begin_ns)}},
              events);
  }
  for (const Trace& trace : traces) add_counter_events(trace, origin_ns, events);
  return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + events + "\n]}\n";
}

}  // namespace flyball
