#include <fmt/format.h>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/json.h"
#include "telemetry/process/measure.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

Json power_json(const MeasuredPower& power) {
  const EnergyWindow& window = power.window;
  Json json{{"name", power.name},
            {"energy_j", window.energy_j},
            {"edge_j", window.edge_j},
            {"mean_w", window.mean_w},
            {"min_w", window.min_w},
            {"max_w", window.max_w},
            {"rectangle_j", window.rectangle_j},
            {"covered_s", window.covered_s},
            {"gap_s", window.gap_s},
            {"gaps", window.gaps},
            {"samples", window.samples},
            {"distinct_updates", window.distinct_updates}};
  json["noise_percent"] = or_null(100 * window.noise);
  return json;
}

Json sampling_json(const Trace& trace) {
  const SamplingStats& stats = trace.stats;
  return {{"name", trace.info.name},
          {"unit", trace.info.unit},
          {"kind", sensor_kind_name(trace.info.kind)},
          {"total", trace.info.total},
          {"wanted", stats.wanted},
          {"achieved", stats.achieved},
          {"missed", stats.missed},
          {"failed", stats.failed},
          {"late_p50_us", stats.late_p50_us},
          {"late_p99_us", stats.late_p99_us},
          {"late_max_us", stats.late_max_us},
          {"true_period_ms", stats.true_period_s * 1e3},
          {"repeats", stats.repeats}};
}

std::string power_text(const MeasuredPower& power) {
  const EnergyWindow& window = power.window;
  std::string text = fmt::format("{}: {}", power.name, format_joules(window.energy_j));
  if (window.edge_j > 0.001 * window.energy_j)
    text += fmt::format(" \u00b1 {} J", number(window.edge_j, 2));
  text +=
      fmt::format(", mean {:.4g} W ({:.4g} to {:.4g})", window.mean_w, window.min_w, window.max_w);
  text += fmt::format(", {} samples, {} updates", window.samples, window.distinct_updates);
  if (!window.complete())
    text += fmt::format("; NOT MEASURED for {:.3f} s of {:.3f} s", window.gap_s, window.window_s);
  return text;
}

void line(std::string& text, const char* title, const std::string& value) {
  text += fmt::format("{:<14}{}\n", title, value);
}

}  // namespace

Json measure_json(const MeasureResult& result) {
  Json json{{"command", result.command},
            {"started_utc", result.started_utc},
            {"exit_code", result.exit_code},
            {"end_signal", result.end_signal},
            {"wall_s", result.wall_s},
            {"user_s", result.user_s},
            {"system_s", result.system_s},
            {"cpu_percent", result.cpu_percent},
            {"peak_memory_bytes",
             result.peak_memory_bytes > 0 ? Json(result.peak_memory_bytes) : Json(nullptr)},
            {"peak_processes", result.peak_processes},
            {"peak_threads", result.peak_threads},
            {"left_running", result.left_running},
            {"major_faults", result.major_faults},
            {"voluntary_switches", result.voluntary_switches},
            {"involuntary_switches", result.involuntary_switches}};
  if (result.io_known)
    json["io"] = {{"read_bytes", result.io.read_bytes},
                  {"write_bytes", result.io.write_bytes},
                  {"read_chars", result.io.read_chars},
                  {"write_chars", result.io.write_chars}};
  else
    json["io"] = nullptr;
  json["totals"] = Json::array();
  for (const MeasuredPower& power : result.totals) json["totals"].push_back(power_json(power));
  json["sensors"] = Json::array();
  for (const MeasuredPower& power : result.sensors) json["sensors"].push_back(power_json(power));
  json["sampling"] = Json::array();
  for (const Trace& trace : result.traces) json["sampling"].push_back(sampling_json(trace));
  json["missing"] = Json::array();
  for (const Error& gap : result.missing)
    json["missing"].push_back({{"reason", gap.message}, {"hint", gap.hint}});
  json["interval_ms"] = result.interval_s * 1e3;
  json["memory_interval_ms"] = result.memory_interval_s * 1e3;
  json["samples"] = result.samples;
  json["own_cpu_s"] = result.own_cpu_s;
  json["own_cpu_percent"] = result.own_cpu_percent;
  return json;
}

std::string measure_text(const MeasureResult& result) {
  std::string text;
  if (result.end_signal != 0)
    line(text, "ended by", fmt::format("signal {}", result.end_signal));
  else if (result.exit_code != 0)
    line(text, "exit code", fmt::format("{}", result.exit_code));
  line(text, "wall time", fmt::format("{:.3f} s", result.wall_s));
  line(text, "CPU time",
       fmt::format("{:.3f} s user, {:.3f} s system ({:.1f} % of one core)", result.user_s,
                   result.system_s, result.cpu_percent));
  line(text, "peak memory",
       result.peak_memory_bytes > 0
           ? fmt::format("{} in {} process{}", format_memory(result.peak_memory_bytes),
                         result.peak_processes, result.peak_processes == 1 ? "" : "es")
           : "unknown: the command ended too soon to tell");
  const auto bytes = [](uint64_t n) { return format_memory(static_cast<double>(n)); };
  line(text, "storage",
       !result.io_known ? "unknown: the kernel refuses the figures of one of its processes"
                        : fmt::format("read {}, written {} (by system calls {} and {})",
                                      bytes(result.io.read_bytes), bytes(result.io.write_bytes),
                                      bytes(result.io.read_chars), bytes(result.io.write_chars)));
  for (const MeasuredPower& power : result.totals) line(text, "energy", power_text(power));
  for (const MeasuredPower& power : result.sensors) line(text, "  sensor", power_text(power));
  for (const Error& gap : result.missing) {
    const std::string brief = brief_power_gap(gap.message);
    line(text, "not measured", brief);
    if (!gap.hint.empty() && brief == gap.message) line(text, "", "HINT: " + gap.hint);
  }
  if (result.left_running > 0)
    line(text, "left running",
         fmt::format("{} processes; not counted after the command's end", result.left_running));
  line(text, "own cost",
       fmt::format(
           "{:.2f} % of one core ({:.1f} ms CPU; power every {:g} ms, memory every {:.3g} ms)",
           result.own_cpu_percent, result.own_cpu_s * 1e3, result.interval_s * 1e3,
           result.memory_interval_s * 1e3));
  return text;
}

}  // namespace flyball
