#include "device/verify/rail_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/interrupt.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "telemetry/process/command.h"
#include "telemetry/process/spawn.h"
#include "telemetry/sensors/firmware_tool.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr int64_t between_readings_ns = 100'000'000;
constexpr double most_plausible_w = 200, least_plausible_w = -0.05;
constexpr double difference_share = 0.1, difference_w = 0.2;
constexpr size_t most_log_bytes = size_t{1} << 22;

struct Readings {
  SensorPtr sensor;
  std::vector<double> values;
  double before = 0;  // of a counter
  int64_t before_ns = 0;

  void take() {
    const auto value = sensor->read();
    if (!value) return;
    if (sensor->info().kind == SensorKind::power) {
      values.push_back(*value);
      return;
    }
    const int64_t now_ns = monotonic_ns();
    if (before_ns > 0 && *value > before) {
      values.push_back((*value - before) / (static_cast<double>(now_ns - before_ns) * 1e-9));
    }
    if (before_ns == 0 || *value != before) {
      before = *value;
      before_ns = now_ns;
    }
  }

  RailCheck result() const {
    RailCheck rail{.name = sensor->info().name, .total = sensor->info().total};
    rail.readings = values.size();
    rail.least_w = *std::ranges::min_element(values);
    rail.most_w = *std::ranges::max_element(values);
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      sum += values[i];
      if (i > 0 && values[i] != values[i - 1]) ++rail.changes;
    }
    rail.power_w = sum / static_cast<double>(values.size());
    return rail;
  }
};

double mean_of(const Trace& trace) {
  double sum = 0;
  for (const Sample& sample : trace.samples) sum += sample.value;
  return sum / static_cast<double>(trace.samples.size());
}

void add_logged(ComparedRails& compared) {
  for (const Trace& trace : compared.log.traces) {
    if (trace.info.kind != SensorKind::power || trace.samples.empty()) continue;
    const auto rail = std::ranges::find(compared.rails, trace.info.name, &RailCheck::name);
    if (rail == compared.rails.end()) {
      compared.only_there.push_back(trace.info.name);
      continue;
    }
    rail->tegrastats_w = mean_of(trace);
    if (*rail->tegrastats_w > 0)
      rail->difference_pct = 100 * (rail->power_w - *rail->tegrastats_w) / *rail->tegrastats_w;
  }
}

}  // namespace

Result<fs::path> find_board_tool(const fs::path& root, const std::string& name) {
  std::error_code ignored;
  std::vector<fs::path> places = {root / "usr/bin" / name, root / "usr/sbin" / name};
  if (root == "/")
    if (const fs::path found = found_on_path(name); !found.empty()) places.push_back(found);
  for (const fs::path& place : places) {
    if (!fs::exists(place, ignored)) continue;
    FLYBALL_CHECK(trusted_code(place, root));
    return place;
  }
  return Error{Code::not_found, fmt::format("there is no {} here", name),
               "it comes with JetPack; elsewhere there is nothing to compare with"};
}

std::vector<RailCheck> watch_rails(const SensorList& sensors, double seconds,
                                   const std::atomic<bool>* interrupted) {
  std::vector<Readings> watched;
  for (const SensorPtr& sensor : sensors.sensors) {
    const SensorInfo& info = sensor->info();
    const bool power = info.kind == SensorKind::power || info.kind == SensorKind::energy_counter;
    if (power && info.total != "monitor") watched.push_back({.sensor = sensor, .values = {}});
  }
  const int64_t end_ns = monotonic_ns() + nanoseconds(seconds);
  int64_t next_ns = monotonic_ns();
  do {
    for (Readings& rail : watched) rail.take();
    next_ns += between_readings_ns;
    sleep_until_ns(std::min(next_ns, end_ns));
  } while (monotonic_ns() < end_ns && !is_interrupted(interrupted));
  std::vector<RailCheck> rails;
  for (const Readings& rail : watched)
    if (!rail.values.empty()) rails.push_back(rail.result());
  return rails;
}

std::string rail_fault(const RailCheck& rail) {
  if (!std::isfinite(rail.power_w)) return fmt::format("{} is no number", rail.name);
  if (rail.least_w < least_plausible_w)
    return fmt::format("{} reads {:.3g} W, below zero", rail.name, rail.least_w);
  if (rail.most_w > most_plausible_w)
    return fmt::format("{} reads {:.4g} W, more than any of these boards draws", rail.name,
                       rail.most_w);
  return "";
}

Result<ComparedRails> compare_with_tegrastats(const SensorList& sensors, const fs::path& tool,
                                              double seconds,
                                              const std::atomic<bool>* interrupted) {
  FLYBALL_ASSIGN(const TempFolder folder, TempFolder::make());
  const fs::path log = folder / "tegrastats.log";
  FLYBALL_ASSIGN(const Descriptor output, open_output(log));
  ComparedRails compared;
  {
    FLYBALL_ASSIGN(
        const auto running,
        RunningCommand::start({tool.string(), "--interval", "500"},
                              {.foreground = false, .streams = Streams::all_into(output.get())}));
    compared.rails = watch_rails(sensors, seconds, interrupted);
  }  // its end ends the tool
  FLYBALL_CHECK(check_interrupt(interrupted));
  FLYBALL_ASSIGN(std::string text, read_file(log, most_log_bytes));
  text.resize(text.rfind('\n') + 1);  // the last line may be cut off
  FLYBALL_ASSIGN(compared.log, parse_tegrastats(text, "tegrastats"));
  add_logged(compared);
  return compared;
}

bool differs(const RailCheck& rail) {
  if (!rail.tegrastats_w) return false;
  const double difference = std::abs(rail.power_w - *rail.tegrastats_w);
  return difference > difference_w && difference > difference_share * *rail.tegrastats_w;
}

PresetInForce parse_nvpmodel_query(std::string_view text) {
  PresetInForce preset;
  constexpr std::string_view title = "NV Power Mode:";
  for (const std::string& line : split(text, '\n')) {
    const std::string_view plain = trim(line);
    if (plain.starts_with(title)) {
      preset.name = std::string(trim(plain.substr(title.size())));
    } else if (!preset.name.empty() && !preset.id) {
      if (const auto number = parse_integer(plain); number && *number >= 0 && *number < 1000)
        preset.id = static_cast<int>(*number);
    }
  }
  return preset;
}

}  // namespace flyball
