#include "monitor/board_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "monitor/metrics_text.h"

namespace flyball {
namespace {

constexpr double hertz_per_mhz = 1e6;

void gauge(std::string& text, const char* name, const char* help,
           const std::optional<double>& value, const std::string& labels = "") {
  if (!value) return;
  begin_metric(text, name, "gauge", help);
  add_sample(text, name, labels, *value);
}

// One metric with a sample for each of a list; no lines where none has a value.
template <class List, class Value, class Labels>
void each(std::string& text, const char* name, const char* type, const char* help, const List& list,
          Value value, Labels labels) {
  bool begun = false;
  for (const auto& one : list) {
    const std::optional<double> shown = value(one);
    if (!shown) continue;
    if (!std::exchange(begun, true)) begin_metric(text, name, type, help);
    add_sample(text, name, labels(one), *shown);
  }
}

void add_power(std::string& text, const BoardFrame& frame) {
  const std::string total = metric_label("total", frame.total);
  gauge(text, "flyball_board_power_watts", "Power of the board's total, each rail counted once.",
        frame.power_w, total);
  if (!frame.total.empty()) {
    begin_metric(text, "flyball_board_energy_joules_total", "counter",
                 "Energy of the board's total since the server began.");
    add_sample(text, "flyball_board_energy_joules_total", total, frame.energy_j);
  }
  const auto labels = [](const RailFrame& rail) {
    return metric_label("rail", rail.name) + "," +
           metric_label("in_total", rail.in_total ? "yes" : "no");
  };
  each(
      text, "flyball_rail_power_watts", "gauge", "Power of one rail.", frame.rails,
      [](const RailFrame& rail) { return rail.power_w; }, labels);
  each(
      text, "flyball_rail_energy_joules_total", "counter",
      "Energy of one rail since the server began, while it was read.", frame.rails,
      [](const RailFrame& rail) { return std::optional(rail.energy_j); }, labels);
}

void add_clocks(std::string& text, const BoardFrame& frame) {
  const auto labels = [](const ClockFrame& clock) { return metric_label("clock", clock.name); };
  const auto hertz = [](const std::optional<double>& mhz) {
    return mhz ? std::optional(*mhz * hertz_per_mhz) : std::nullopt;
  };
  each(
      text, "flyball_clock_hertz", "gauge", "What a clock does.", frame.clocks,
      [&](const ClockFrame& clock) { return hertz(clock.seen_mhz); }, labels);
  each(
      text, "flyball_clock_limit_hertz", "gauge", "The cap in force on a clock.", frame.clocks,
      [&](const ClockFrame& clock) { return hertz(clock.asked_mhz); }, labels);
}

void add_load(std::string& text, const BoardFrame& frame) {
  std::vector<size_t> cores(frame.cores.size());
  for (size_t core = 0; core < cores.size(); ++core) cores[core] = core;
  const auto labels = [](size_t core) { return metric_label("cpu", fmt::format("{}", core)); };
  each(
      text, "flyball_cpu_busy_ratio", "gauge", "Busy share of a core.", cores,
      [&](size_t core) { return frame.cores[core]; }, labels);
  gauge(text, "flyball_gpu_busy_ratio", "Busy share of the GPU.", frame.gpu_busy);
  gauge(text, "flyball_fan_drive_ratio", "Share of its full drive that the fan gets.", frame.fan);
  gauge(text, "flyball_fan_rpm", "Turns of the fan per minute.", frame.fan_rpm);
}

void add_memory(std::string& text, const BoardFrame& frame) {
  const MemoryFrame& memory = frame.memory;
  gauge(text, "flyball_memory_size_bytes", "Memory of the board.", memory.total_bytes);
  gauge(text, "flyball_memory_used_bytes", "Memory that is not available.", memory.used_bytes);
  gauge(text, "flyball_page_cache_bytes", "Memory that holds files.", memory.page_cache_bytes);
  gauge(text, "flyball_swap_used_bytes", "Swap in use.", memory.swap_used_bytes);
  const auto labels = [](const DiskFrame& disk) { return metric_label("device", disk.name); };
  each(
      text, "flyball_disk_read_bytes_total", "counter", "Bytes read from a disk.", frame.disks,
      [](const DiskFrame& disk) { return std::optional(disk.read_bytes); }, labels);
  each(
      text, "flyball_disk_written_bytes_total", "counter", "Bytes written to a disk.", frame.disks,
      [](const DiskFrame& disk) { return std::optional(disk.written_bytes); }, labels);
}

void add_mode(std::string& text, const BoardFrame& frame) {
  begin_metric(text, "flyball_power_mode_info", "gauge", "The power mode in force.");
  add_sample(text, "flyball_power_mode_info", metric_label("preset", frame.mode.preset), 1);
  const auto cores = frame.mode.caps.values.find(axis::cpu_cores);
  if (cores != frame.mode.caps.values.end())
    gauge(text, "flyball_cpu_cores_limit", "Cores that may run.", cores->second);
  gauge(text, "flyball_board_held", "1 while somebody sets the board.",
        frame.held_by.empty() ? 0.0 : 1.0);
  gauge(text, "flyball_board_measured", "1 while somebody has the right to measure.",
        frame.measuring.empty() ? 0.0 : 1.0);
  gauge(text, "flyball_mode_kept", "1 where a mode is kept that can be put back.",
        frame.kept ? 1.0 : 0.0);
}

bool is_there(const BoardFrame& frame, const std::string& temperature) {
  return std::ranges::find(frame.temperatures, temperature, &TemperatureFrame::name) !=
         frame.temperatures.end();
}

}  // namespace

void BoardMetrics::take(const BoardFrame& frame) {
  if (frame.throttled) reasons_.insert(frame.throttled->begin(), frame.throttled->end());
  for (const TemperatureFrame& one : frame.temperatures) temperatures_.insert(one.name);
  frame_ = frame;
  any_ = true;
}

std::string BoardMetrics::text(double own_cpu_s) const {
  std::string text;
  if (!any_) return text;
  begin_metric(text, "flyball_board_info", "gauge", "The board that is watched.");
  add_sample(text, "flyball_board_info",
             metric_label("board", frame_.board_id) + "," +
                 metric_label("name", frame_.board_name) + "," +
                 metric_label("simulated", frame_.simulated ? "yes" : "no"),
             1);
  add_power(text, frame_);
  add_clocks(text, frame_);
  add_load(text, frame_);
  each(
      text, "flyball_temperature_celsius", "gauge", "Temperature of a zone or sensor.",
      frame_.temperatures, [](const TemperatureFrame& one) { return std::optional(one.celsius); },
      [](const TemperatureFrame& one) { return metric_label("sensor", one.name); });
  const auto sensor = [](const char* kind, const std::string& name) {
    return metric_label("kind", kind) + "," + metric_label("sensor", name);
  };
  if (!frame_.rails.empty() || !temperatures_.empty())
    begin_metric(text, "flyball_sensor_up", "gauge", "0 where a sensor that was there is gone.");
  for (const RailFrame& rail : frame_.rails)
    add_sample(text, "flyball_sensor_up", sensor("rail", rail.name), rail.reads ? 1 : 0);
  for (const std::string& name : temperatures_)
    add_sample(text, "flyball_sensor_up", sensor("temperature", name),
               is_there(frame_, name) ? 1 : 0);
  if (frame_.throttled) {
    gauge(text, "flyball_throttled", "1 while the board is slowed down.",
          frame_.throttled->empty() ? 0.0 : 1.0);
    each(
        text, "flyball_throttled_by", "gauge", "1 while this slows the board down.", reasons_,
        [&](const std::string& reason) {
          return std::optional(std::ranges::count(*frame_.throttled, reason) > 0 ? 1.0 : 0.0);
        },
        [](const std::string& reason) { return metric_label("reason", reason); });
  }
  add_memory(text, frame_);
  add_mode(text, frame_);
  begin_metric(text, "flyball_monitor_cpu_seconds_total", "counter",
               "Processor time of this server itself.");
  add_sample(text, "flyball_monitor_cpu_seconds_total", "", own_cpu_s);
  return text;
}

}  // namespace flyball
