#include "device/modes/board_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "device/knobs/nvidia_knobs.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr int64_t slope_window_ns = 20'000'000;

std::optional<double> value_of(const Result<double>& result) {
  return result ? std::optional<double>(*result) : std::nullopt;
}

// The slope of every energy counter over one short window; nothing where it stood still.
std::map<const Sensor*, double> slopes(const SensorList& list) {
  std::map<const Sensor*, double> before, found;
  for (const SensorPtr& sensor : list.sensors)
    if (sensor->info().kind == SensorKind::energy_counter)
      if (const auto joules = sensor->read()) before[sensor.get()] = *joules;
  if (before.empty()) return found;
  const Stopwatch watch;
  sleep_until_ns(monotonic_ns() + slope_window_ns);
  for (const SensorPtr& sensor : list.sensors)
    if (const auto first = before.find(sensor.get()); first != before.end())
      if (const auto joules = sensor->read(); joules && *joules > first->second)
        found[sensor.get()] = (*joules - first->second) / watch.seconds();
  return found;
}

void add_rails(const SensorList& list, BoardReport& report) {
  const auto slope = slopes(list);
  std::map<std::string, bool> broken;
  for (const SensorPtr& sensor : list.sensors) {
    const SensorInfo& info = sensor->info();
    if (info.kind != SensorKind::power && info.kind != SensorKind::energy_counter) continue;
    if (info.total == "monitor") continue;  // a sum of what is listed
    RailReport rail{.name = info.name, .power_w = {}, .period_ms = {}};
    if (info.period_s > 0) rail.period_ms = info.period_s * 1e3;
    if (info.kind == SensorKind::power)
      rail.power_w = value_of(sensor->read());
    else if (const auto found = slope.find(sensor.get()); found != slope.end())
      rail.power_w = found->second;
    if (!info.total.empty()) {
      auto& total = report.totals[info.total];
      if (!total) total.emplace();
      total->rails.push_back(info.name);
      total->power_w += rail.power_w.value_or(0);
      broken[info.total] |= !rail.power_w;
    }
    report.rails.push_back(std::move(rail));
  }
  for (const auto& [name, is_broken] : broken)
    if (is_broken) report.totals[name].reset();
}

// All labelled rails, where the sensors have such a sum.
void add_monitor(const SensorList& list, BoardReport& report) {
  if (!list.find("all rails")) return;
  TotalReport monitor;
  for (const RailReport& rail : report.rails) {
    if (!rail.power_w) return;
    monitor.rails.push_back(rail.name);
    monitor.power_w += *rail.power_w;
  }
  report.totals["monitor"] = std::move(monitor);
}

// A core whose switch does not read counts as on, as one without a switch does.
void check_switches(const fs::path& root, BoardReport& report) {
  const KnobPlace place{root};
  for (int cpu : present_cpus(place)) {
    const fs::path file = place.cpu(cpu) / "online";
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    const auto text = place.files->read(file);
    if (text && (trim(*text) == "0" || trim(*text) == "1")) continue;
    report.problems.push_back({Code::corrupt,
                               file.string() + " does not say whether the core is on",
                               "it is taken for on"});
  }
}

// Where there is no library the gaps of the power sensors say so.
void add_gpus(const fs::path& root, BoardReport& report) {
  const auto gpus = list_nvidia_gpus(root);
  if (!gpus) return;
  for (const NvidiaGpu& gpu : *gpus) {
    std::vector<KnobPtr> knobs;
    std::vector<AxisGap> gaps;
    add_nvidia_knobs({root}, gpu, knobs, gaps);
    report.gpus.push_back(
        {gpu.index, gpu.name, gpu.uuid, gpu.driver, gpu.mig, examine_axes(knobs)});
    for (const AxisGap& gap : gaps)
      report.problems.push_back(gap.why.within(fmt::format("gpu{}", gpu.index)));
  }
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json totals_json(const BoardReport& report) {
  Json json = Json::object();
  for (const auto& [name, total] : report.totals)
    json[name] = total ? Json{{"rails", total->rails}, {"power_w", total->power_w}} : Json(nullptr);
  return json;
}

std::string shown(const std::optional<double>& value, const std::string& unit) {
  if (!value) return "?";
  return fmt::format("{:.6g}{}{}", *value, unit.empty() ? "" : " ", unit);
}

std::string axes_text(const std::vector<AxisReport>& axes) {
  std::string text;
  for (const AxisReport& axis : axes) {
    const auto& values = axis.axis.values;
    text += fmt::format("  axis {:<14} {} value{} from {} to {}{}; cap {}, now {}{}\n",
                        axis.axis.name, values.size(), values.size() == 1 ? "" : "s",
                        format_number(values.front()), format_number(values.back()),
                        axis.axis.unit.empty() ? "" : " " + axis.axis.unit,
                        shown(axis.current, axis.axis.unit), shown(axis.now, axis.axis.unit),
                        axis.settable ? "" : " (not settable)");
  }
  return text;
}

}  // namespace

std::vector<AxisReport> examine_axes(const std::vector<KnobPtr>& knobs) {
  std::vector<AxisReport> axes;
  for (const KnobPtr& knob : knobs)
    axes.push_back(
        {knob->axis(), value_of(knob->cap()), value_of(knob->now()), knob->settable().ok()});
  return axes;
}

BoardReport examine_board(const fs::path& root) {
  BoardReport report;
  report.board = identify_board(root);
  report.problems = report.board.problems;
  const auto device = open_any_board(report.board, root);
  report.axes = examine_axes(device->knobs());
  for (const AxisGap& gap : device->gaps()) report.problems.push_back(gap.why);
  const SensorList sensors = open_power_sensors(root);
  report.totals["module"];
  report.totals["monitor"];
  add_rails(sensors, report);
  add_monitor(sensors, report);
  std::ranges::copy(sensors.gaps, std::back_inserter(report.problems));
  Presets presets = read_presets(root, *device);
  report.presets = std::move(presets.list);
  std::ranges::copy(presets.problems, std::back_inserter(report.problems));
  check_switches(root, report);
  add_gpus(root, report);
  return report;
}

Json axes_json(const std::vector<AxisReport>& axes) {
  Json json = Json::array();
  for (const AxisReport& axis : axes)
    json.push_back({{"name", axis.axis.name},
                    {"unit", axis.axis.unit},
                    {"values", axis.axis.values},
                    {"current", number_or_null(axis.current)},
                    {"now", number_or_null(axis.now)},
                    {"settable", axis.settable}});
  return json;
}

Json presets_json(const std::vector<Preset>& presets) {
  Json json = Json::array();
  for (const Preset& preset : presets)
    json.push_back({{"id", preset.id},
                    {"name", preset.name},
                    {"default", preset.is_default},
                    {"active", preset.active},
                    {"mode", preset.mode.values},
                    {"left_out", preset.left_out}});
  return json;
}

Json board_json(const BoardReport& report) {
  Json json, rails = Json::array(), problems = rails;
  for (const RailReport& rail : report.rails)
    rails.push_back({{"name", rail.name},
                     {"power_w", number_or_null(rail.power_w)},
                     {"period_ms", number_or_null(rail.period_ms)}});
  for (const Error& problem : report.problems)
    problems.push_back({{"what", problem.message}, {"remedy", problem.hint}});
  json["board"] = {{"id", report.board.id},
                   {"name", report.board.name},
                   {"jetpack", text_or_null(report.board.jetpack())},
                   {"release", text_or_null(report.board.release)}};
  json["axes"] = axes_json(report.axes);
  json["rails"] = std::move(rails);
  json["totals"] = totals_json(report);
  json["presets"] = presets_json(report.presets);
  json["gpus"] = Json::array();
  for (const GpuReport& gpu : report.gpus)
    json["gpus"].push_back({{"index", gpu.index},
                            {"name", text_or_null(gpu.name)},
                            {"uuid", text_or_null(gpu.uuid)},
                            {"driver", text_or_null(gpu.driver)},
                            {"mig", gpu.mig},
                            {"axes", axes_json(gpu.axes)}});
  json["problems"] = std::move(problems);
  return json;
}

std::string board_text(const BoardReport& report) {
  std::string text = fmt::format("{} ({})", report.board.name, report.board.id);
  if (!report.board.release.empty()) {
    const std::string jetpack = report.board.jetpack();
    text += jetpack.empty() ? "" : ", JetPack " + jetpack;
    text += ", L4T " + report.board.release;
  }
  text += "\n";
  text += axes_text(report.axes);
  for (const RailReport& rail : report.rails)
    text += fmt::format("  rail {:<14} {}\n", rail.name, shown(rail.power_w, "W"));
  for (const auto& [name, total] : report.totals)
    if (total)
      text += fmt::format("  total {:<13} {:.3f} W = {}\n", name, total->power_w,
                          join(total->rails, " + "));
  for (const Preset& preset : report.presets)
    text += fmt::format("  preset {:<12} {}{}\n", preset.name, describe(preset.mode.values),
                        preset.active ? " (active)" : "");
  for (const GpuReport& gpu : report.gpus)
    text += fmt::format("  gpu{} {}, driver {}, {}{}\n{}", gpu.index, gpu.name, gpu.driver,
                        gpu.uuid, gpu.mig ? ", in slices (MIG)" : "", axes_text(gpu.axes));
  for (const Error& problem : report.problems)
    text += fmt::format("  problem: {}\n{}", problem.message,
                        problem.hint.empty() ? "" : "    HINT: " + problem.hint + "\n");
  return text + "\n";
}

}  // namespace flyball
