#include "monitor/screen_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "monitor/frame_text.h"

namespace flyball {
namespace {

constexpr int label_columns = 9;

std::string since_mark(const BoardFrame& frame, const ScreenState& state) {
  const double seconds = frame.at_s - state.mark_s, joules = frame.energy_j - state.mark_j;
  if (frame.total.empty() || seconds <= 0) return "";
  return fmt::format("{} in {}, mean {}", joules_text(joules), clock_text(seconds),
                     watts_text(joules / seconds));
}

}  // namespace

int ScreenParts::chart_rows() const {
  return canvas_.height() < 20 ? 0 : (canvas_.height() < 30 ? 3 : 8) + more_rows_;
}

// A chart with its scale in the first row, at the right.
void ScreenParts::chart(int x, int y, int rows, int columns, const Series& series) const {
  auto values = history_.columns(series.what, state_.column_s, columns);
  const double most = series.most > 0 ? series.most : round_above(values);
  draw_chart(canvas_, x, y, rows, values, most, state_.glyphs, Ink::accent);
  const std::string scale =
      fmt::format("{} {:.3g}{}", series.name, most * (series.most == 1 ? 100 : 1), series.unit);
  canvas_.put(x, y, scale + " ", Ink::dim, x + columns);
}

int ScreenParts::row(int y, int end, const char* label, const std::string& text, Ink ink) const {
  if (y >= end) return y;
  canvas_.put(1, y, label, Ink::bold);
  canvas_.put(1 + label_columns, y, text, ink, width() - 1);
  if (columns_of(text) > width() - 2 - label_columns)
    canvas_.put(width() - 2, y, state_.glyphs == Glyphs::blocks ? "…" : "~", ink);
  return y + 1;
}

// Texts beside each other, in as many rows as they need.
int ScreenParts::items(int y, int end, const char* label,
                       const std::vector<std::string>& texts) const {
  std::string line;
  for (const std::string& text : texts) {
    const int room = width() - 2 - label_columns;
    if (!line.empty() && columns_of(line) + 3 + columns_of(text) > room) {
      y = row(y, end, label, line);
      label = "";
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + text;
  }
  return line.empty() ? y : row(y, end, label, line);
}

int ScreenParts::power(int y, int end) const {
  const std::string shown = frame_.total.empty() ? total_text(frame_) : watts_text(frame_.power_w);
  if (y >= end) return y;
  canvas_.put(1, y, "POWER", Ink::bold);
  int x = canvas_.put(1 + label_columns, y, shown, Ink::bold);
  if (!frame_.total.empty()) x = canvas_.put(x + 2, y, total_text(frame_), Ink::plain, width());
  const std::string energy = since_mark(frame_, state_);
  if (x + 2 + columns_of(energy) < width() - 1) {
    canvas_.put_right(width() - 1, y, energy);
  } else if (!energy.empty() && y + 1 < end) {
    canvas_.put_right(width() - 1, ++y, energy);
  }
  ++y;
  std::vector<std::string> rails;
  for (const RailFrame& rail : frame_.rails)
    rails.push_back(
        fmt::format("{}{} {}", rail.name, rail.in_total ? "*" : "", watts_text(rail.power_w)));
  y = items(y, end, "", rails);
  const int rows = std::min(chart_rows(), end - y);
  if (rows <= 0) return y;
  const Series power{"max", &Moment::power_w, 0, " W"}, cpu{"CPU", &Moment::cpu, 1, " %"},
      gpu{"GPU", &Moment::gpu, 1, " %"}, heat{"hottest", &Moment::celsius, 100, " °C"};
  const Series& first = frame_.total.empty() ? cpu : power;
  const bool others = !frame_.total.empty() || frame_.gpu_busy || hottest(frame_);
  if (!wide() || !others) {
    chart(1, y, rows, width() - 2, first);
    return y + rows;
  }
  const int half = (width() - 3) / 2, right = 2 + half;
  const int small = std::max(1, (rows - 1) / 2);
  chart(1, y, rows, half, first);
  chart(right, y, small, half, frame_.gpu_busy ? gpu : cpu);
  if (rows > small)
    chart(right, y + small + 1, rows - small - 1, half,
          frame_.gpu_busy && !hottest(frame_) ? cpu : heat);
  return y + rows;
}

int ScreenParts::cores(int y, int end) const {
  const int count = static_cast<int>(frame_.cores.size());
  if (count == 0 || y >= end) return y;
  const int room = width() - 2 - label_columns;
  constexpr int least_columns = 9;  // " 0 100 % "
  const int across = std::clamp(room / least_columns, 1, wide() ? 8 : 4);
  if (count > across * 3) {  // a character each
    std::string all;
    for (const auto& core : frame_.cores) all += core ? share_glyph(*core, state_.glyphs) : "-";
    return row(y, end, "CPU", fmt::format("{:>5} {}", percent_text(mean_load(frame_)), all));
  }
  const int each = room / across;
  for (int core = 0; core < count && y < end; ++core) {
    if (core % across == 0) canvas_.put(1, y, core == 0 ? "CPU" : "", Ink::bold);
    const int x = 1 + label_columns + core % across * each;
    const auto& load = frame_.cores[static_cast<size_t>(core)];
    canvas_.put(x, y, fmt::format("{:>2} ", core), Ink::dim);
    if (load) {
      canvas_.put(x + 3, y, bar(*load, each - 10, state_.glyphs), Ink::accent, x + each - 7);
      canvas_.put_right(x + each - 1, y, percent_text(load));
    } else {
      canvas_.put(x + 3, y, "off", Ink::dim);
    }
    if (core % across == across - 1 || core == count - 1) ++y;
  }
  return y;
}

int ScreenParts::gpu(int y, int end) const {
  if (!frame_.gpu_busy || y >= end) return y;
  canvas_.put(1, y, "GPU", Ink::bold);
  const int columns = std::min(width() - 2 - label_columns - 8, wide() ? 80 : 60);
  canvas_.put(1 + label_columns, y, bar(*frame_.gpu_busy, columns, state_.glyphs), Ink::accent);
  canvas_.put_right(1 + label_columns + columns + 7, y, percent_text(frame_.gpu_busy));
  return y + 1;
}

int ScreenParts::load(int y, int end) const {
  y = cores(y, end);
  y = gpu(y, end);
  std::vector<std::string> clocks;
  for (const ClockFrame& clock : frame_.clocks)
    clocks.push_back(fmt::format("{} {}", clock.name, mhz_text(clock)));
  return items(y, end, "CLOCKS", clocks);
}

int ScreenParts::memory(int y, int end) const {
  const MemoryFrame& memory = frame_.memory;
  if (memory.used_bytes || memory.total_bytes) {
    std::vector<std::string> texts = {
        fmt::format("{} of {}", bytes_text(memory.used_bytes), bytes_text(memory.total_bytes))};
    if (memory.used_bytes && memory.total_bytes && *memory.total_bytes > 0)
      texts.front() =
          bar(*memory.used_bytes / *memory.total_bytes, 12, state_.glyphs) + " " + texts.front();
    if (memory.page_cache_bytes)
      texts.push_back("page cache " + bytes_text(memory.page_cache_bytes));
    if (memory.swap_used_bytes) texts.push_back("swap " + bytes_text(memory.swap_used_bytes));
    y = items(y, end, "MEMORY", texts);
  }
  std::vector<std::string> disks;
  for (const DiskFrame& disk : frame_.disks)
    disks.push_back(fmt::format("{} r {} w {}", disk.name, rate_text(disk.read_per_s),
                                rate_text(disk.written_per_s)));
  if (disks.size() > 3 && !wide()) disks.resize(3);
  return items(y, end, "DISK", disks);
}

int ScreenParts::heat(int y, int end) const {
  std::vector<TemperatureFrame> sorted = frame_.temperatures;
  std::ranges::stable_sort(sorted, std::ranges::greater(), &TemperatureFrame::celsius);
  const size_t most = wide() ? 12 : 4;
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(most, sorted.size()); ++i)
    texts.push_back(fmt::format("{} {:.1f} °C", sorted[i].name, sorted[i].celsius));
  if (sorted.size() > most) texts.push_back(fmt::format("and {} cooler", sorted.size() - most));
  if (const std::string fan = fan_text(frame_); !fan.empty()) texts.push_back(fan);
  y = items(y, end, "HEAT", texts);
  const bool throttled = frame_.throttled && !frame_.throttled->empty();
  return frame_.throttled
             ? row(y, end, "", throttle_text(frame_), throttled ? Ink::warning : Ink::plain)
             : y;
}

int ScreenParts::mode(int y, int end) const {
  y = row(y, end, "MODE", mode_text(frame_));
  const std::string holder = holder_text(frame_);
  return holder.empty() ? y : row(y, end, "BOARD", holder, Ink::warning);
}

// What is missing, where there is room beside the processes.
int ScreenParts::notes(int y, int end) const {
  const int room = std::min<int>(2, end - y - 6 + more_rows_);
  for (size_t i = 0; i < frame_.gaps.size() && static_cast<int>(i) < room; ++i)
    y = row(y, end, "NOTE", frame_.gaps[i].message, Ink::dim);
  return y;
}

int ScreenParts::processes(int y, int end) const {
  if (y + 2 > end || frame_.processes.empty()) return y;
  const auto any = [this](std::optional<double> ProcessFrame::*figure) {
    return std::ranges::any_of(
        frame_.processes, [figure](const ProcessFrame& one) { return (one.*figure).has_value(); });
  };
  const bool busy = any(&ProcessFrame::gpu_busy), held = any(&ProcessFrame::gpu_bytes);
  const auto gpu_columns = [&](const std::string& share, const std::string& bytes) {
    return (busy ? fmt::format(" {:>6}", share) : "") + (held ? fmt::format(" {:>10}", bytes) : "");
  };
  canvas_.fill(0, y, width(), Ink::dim);
  canvas_.put(1, y++,
              fmt::format("{:>7} {:<20} {:>7} {:>10}{}", "PID", "PROCESS", "CORES", "MEMORY",
                          gpu_columns("GPU", "GPU MEM")),
              Ink::bold);
  for (const ProcessFrame& one : frame_.processes) {
    if (y >= end) break;
    canvas_.put(1, y++,
                fmt::format("{:>7} {:<20.20} {:>7.2f} {:>10}{}", one.pid, one.name, one.cpu_cores,
                            bytes_text(one.memory_bytes),
                            gpu_columns(percent_text(one.gpu_busy), bytes_text(one.gpu_bytes))));
  }
  return y;
}

}  // namespace flyball
