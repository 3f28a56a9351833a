#include "monitor/frame_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/amounts.h"
#include "base/text.h"
#include "monitor/frame_history.h"

namespace flyball {
namespace {

std::string list_of_clocks(const BoardFrame& frame) {
  std::vector<std::string> texts;
  for (const ClockFrame& clock : frame.clocks)
    texts.push_back(fmt::format("{} {}", clock.name, mhz_text(clock)));
  return join(texts, ", ");
}

std::string list_of_cores(const BoardFrame& frame) {
  std::vector<std::string> texts;
  for (size_t core = 0; core < frame.cores.size(); ++core)
    texts.push_back(frame.cores[core] ? fmt::format("{:.0f}", *frame.cores[core] * 100)
                                      : std::string("-"));
  return join(texts, " ");
}

std::string list_of_heat(const BoardFrame& frame) {
  std::vector<std::string> texts;
  for (const TemperatureFrame& one : frame.temperatures)
    texts.push_back(fmt::format("{} {:.1f} °C", one.name, one.celsius));
  return join(texts, ", ");
}

void add(std::string& text, const char* name, const std::string& value) {
  if (!value.empty()) text += fmt::format("{:<10} {}\n", name, value);
}

void add_rails(std::string& text, const BoardFrame& frame) {
  for (const RailFrame& rail : frame.rails)
    text += fmt::format("  rail     {:<16} {:>9}{}\n", rail.name, watts_text(rail.power_w),
                        rail.in_total ? "" : "  (in no total)");
}

void add_processes(std::string& text, const BoardFrame& frame, size_t most) {
  for (size_t i = 0; i < std::min(most, frame.processes.size()); ++i) {
    const ProcessFrame& process = frame.processes[i];
    text += fmt::format("  process  {:<7} {:<16} {:.2f} cores, {}{}{}\n", process.pid, process.name,
                        process.cpu_cores, bytes_text(process.memory_bytes),
                        process.gpu_busy ? ", GPU " + percent_text(process.gpu_busy) : "",
                        process.gpu_bytes ? ", GPU memory " + bytes_text(process.gpu_bytes) : "");
  }
}

std::string memory_text(const MemoryFrame& memory) {
  if (!memory.used_bytes && !memory.total_bytes) return "";
  std::string text =
      fmt::format("{} of {}", bytes_text(memory.used_bytes), bytes_text(memory.total_bytes));
  if (memory.page_cache_bytes) text += ", page cache " + bytes_text(memory.page_cache_bytes);
  if (memory.swap_used_bytes) text += ", swap " + bytes_text(memory.swap_used_bytes);
  return text;
}

}  // namespace

std::string watts_text(const std::optional<double>& watts) {
  if (!watts) return "-";
  return std::abs(*watts) < 0.995 ? fmt::format("{:.0f} mW", *watts * 1e3)
                                  : fmt::format("{:.2f} W", *watts);
}

std::string joules_text(double joules) {
  if (joules >= 99'950) return fmt::format("{:.1f} kJ", joules / 1e3);
  return joules >= 9'995 ? fmt::format("{:.2f} kJ", joules / 1e3) : fmt::format("{:.1f} J", joules);
}

std::string bytes_text(const std::optional<double>& bytes) {
  return bytes ? format_memory(*bytes) : "-";
}

std::string rate_text(const std::optional<double>& bytes_per_s) {
  if (!bytes_per_s) return "-";
  const std::array<const char*, 4> units = {"B/s", "kB/s", "MB/s", "GB/s"};
  double value = *bytes_per_s;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 9.95 ? 1 : 0, units[unit]);
}

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", *share * 100) : "-";
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::max(seconds, 0.0));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string mhz_text(const ClockFrame& clock) {
  const auto mhz = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : "-";
  };
  if (!clock.asked_mhz) return mhz(clock.seen_mhz) + " MHz";
  return fmt::format("{} of {} MHz", mhz(clock.seen_mhz), mhz(clock.asked_mhz));
}

std::string total_text(const BoardFrame& frame) {
  if (frame.total.empty())
    return frame.rails.empty() ? "no power sensor" : "no total is known of these rails";
  std::vector<std::string> names;
  for (const RailFrame& rail : frame.rails)
    if (rail.in_total) names.push_back(rail.name);
  return fmt::format("{} = {}", frame.total, join(names, " + "));
}

std::string throttle_text(const BoardFrame& frame) {
  if (!frame.throttled) return "no sensor tells of throttling";
  if (frame.throttled->empty()) return "not throttled";
  return "THROTTLED: " + join(*frame.throttled, ", ");
}

std::string mode_text(const BoardFrame& frame) {
  std::string text = !frame.mode.preset.empty()       ? "preset " + frame.mode.preset
                     : frame.mode.caps.values.empty() ? "not known"
                                                      : describe(frame.mode.caps.values);
  if (frame.mode.pinned) text += *frame.mode.pinned ? ", clocks pinned" : ", clocks free";
  return text;
}

std::string holder_text(const BoardFrame& frame) {
  // Nobody says beforehand how long: a board is free when its process ends.
  if (!frame.held_by.empty()) return "held by " + frame.held_by + ", until it ends";
  if (!frame.measuring.empty()) return "measured by " + frame.measuring + ", until it ends";
  return frame.kept ? "a mode is kept: `flyball mode restore` puts back what was before" : "";
}

std::string fan_text(const BoardFrame& frame) {
  if (!frame.fan && !frame.fan_rpm) return "";
  std::string text = "fan";
  if (frame.fan) text += " " + percent_text(frame.fan);
  if (frame.fan_rpm) text += fmt::format("{} {:.0f} rpm", frame.fan ? "," : "", *frame.fan_rpm);
  return text;
}

std::string frame_text(const BoardFrame& frame) {
  std::string text = fmt::format("{} ({})\n", frame.board_name, frame.board_id);
  add(text, "power",
      frame.total.empty() ? total_text(frame)
                          : fmt::format("{}  {}", watts_text(frame.power_w), total_text(frame)));
  add_rails(text, frame);
  add(text, "clocks", list_of_clocks(frame));
  if (mean_load(frame))
    add(text, "CPU",
        fmt::format("{}  by core, %: {}", percent_text(mean_load(frame)), list_of_cores(frame)));
  if (frame.gpu_busy) add(text, "GPU", percent_text(frame.gpu_busy));
  add(text, "memory", memory_text(frame.memory));
  for (const DiskFrame& disk : frame.disks)
    add(text, "disk",
        fmt::format("{} read {}, written {}", disk.name, rate_text(disk.read_per_s),
                    rate_text(disk.written_per_s)));
  add(text, "heat", list_of_heat(frame));
  add(text, "fan", fan_text(frame).empty() ? "" : fan_text(frame).substr(4));
  add(text, "throttling", throttle_text(frame));
  add(text, "mode", mode_text(frame));
  add(text, "board", holder_text(frame).empty() ? "nobody sets it" : holder_text(frame));
  add_processes(text, frame, 5);
  for (const Error& gap : frame.gaps) {
    add(text, "note:", gap.message);
    if (!gap.hint.empty()) text += "  HINT: " + gap.hint + "\n";
  }
  return text;
}

std::string frame_line(const BoardFrame& frame) {
  std::string text = fmt::format("{:>8.1f} s", frame.at_s);
  if (frame.power_w) text += fmt::format("  {} {}", watts_text(frame.power_w), frame.total);
  if (const auto load = mean_load(frame)) text += "  CPU " + percent_text(load);
  if (frame.gpu_busy) text += "  GPU " + percent_text(frame.gpu_busy);
  if (frame.memory.used_bytes) text += "  memory " + bytes_text(frame.memory.used_bytes);
  if (const TemperatureFrame* hot = hottest(frame))
    text += fmt::format("  {:.1f} °C {}", hot->celsius, hot->name);
  if (frame.throttled && !frame.throttled->empty()) text += "  " + throttle_text(frame);
  if (frame.simulated) text += "  simulated";
  if (frame.simulated && frame.mode.pinned)
    text += *frame.mode.pinned ? ", clocks pinned" : ", clocks free";
  return text;
}

}  // namespace flyball
