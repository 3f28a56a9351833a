#include "device/registry/twin_report.h"

#include <fmt/format.h>

#include "base/amounts.h"
#include "base/text.h"
#include "boards/spec.h"
#include "twin/twin.h"

namespace flyball {
namespace {

TotalReport total_of(const TwinBoard& board, const TwinPower& power, bool module_only) {
  TotalReport total;
  for (size_t i = 0; i < board.rails.size(); ++i)
    if (board.rails[i].module || !module_only) total.rails.push_back(board.rails[i].name);
  total.power_w = module_only ? power.module_w : power.monitor_w;
  return total;
}

Capability power_of(const TwinBoard& board) {
  const std::string purpose = "energy and power budgets";
  if (const std::string gap = twin_power_gap(board); !gap.empty())
    return {"power: simulated", purpose, Capability::State::missing, gap, ""};
  return {
      "power: simulated", purpose, Capability::State::available,
      fmt::format("{} rails; trials tell total '{}'", board.rails.size(), twin_power_total(board)),
      ""};
}

Capability presets_of(const Board& board) {
  const Presets presets = board.presets();
  std::vector<std::string> names;
  for (const Preset& preset : presets.list)
    names.push_back(preset.name + (preset.is_default ? " (default)" : ""));
  const bool known = !names.empty();
  return {"presets", "what a tune compares with",
          known ? Capability::State::available : Capability::State::missing,
          known ? join(names, ", ") : why_no_presets(board), ""};
}

}  // namespace

std::string why_no_presets(const Board& board) {
  const BoardSpec* spec = find_board_spec(board.twin()->id);
  return spec && spec->jetson() ? "nvpmodel's presets of this board are not known"
                                : "this board has no presets: nvpmodel is of Jetsons";
}

std::string delivered_in(const Presets& presets) {
  const Preset* usual = presets.in_force();
  return usual ? fmt::format("as delivered the board is in preset {}, which answers call in force",
                             usual->name)
               : "";
}

BoardReport report_of_twin(const Board& board) {
  const TwinBoard& twin = *board.twin();
  BoardReport report;
  report.board.id = twin.id;
  report.board.name = board.info().device.title;
  for (const Axis& axis : twin.axes)
    report.axes.push_back({axis, axis.values.back(), axis.values.back(), false});
  report.presets = board.presets().list;
  // The mode of highest values is one that the board has, so its power is known.
  if (const auto idle = idle_power(twin, PowerMode())) {
    for (size_t i = 0; i < twin.rails.size(); ++i)
      report.rails.push_back({twin.rails[i].name, idle->rail_w[i], {}});
    if (!twin.rails.empty()) {
      report.totals["monitor"] = total_of(twin, *idle, false);
      report.totals["module"].reset();
      if (idle->module_w > 0) report.totals["module"] = total_of(twin, *idle, true);
    }
  }
  if (const auto knobs = board.knobs())
    for (const AxisGap& gap : (*knobs)->gaps()) report.problems.push_back(gap.why);
  return report;
}

std::vector<Capability> examine_twin(const Board& board) {
  using State = Capability::State;
  const TwinBoard& twin = *board.twin();
  const std::string delivered = delivered_in(board.presets());
  std::vector<std::string> storages;
  for (const TwinStorage& storage : twin.storages) storages.push_back(storage.name);
  return {{"simulation", "tune, plan, profile, experiment, serve", State::available,
           "nothing here is measured, and nothing of this machine was looked at", ""},
          power_of(twin),
          {"power modes", "tune and plan", State::available,
           "each trial sets its own" + (delivered.empty() ? "" : "; " + delivered), ""},
          presets_of(board),
          {"constants", "how near the true board",
           twin.calibrated.empty() ? State::missing : State::available,
           twin.calibrated.empty() ? "facts, and the constants of its kin" : twin.calibrated,
           twin.calibrated.empty()
               ? "flyball twin calibrate --truth TABLE.csv fits them to what was measured on one"
               : ""},
          {"memory", "what fits", State::available,
           fmt::format("{:.0f} GiB; data on {}", twin.capacity.memory_bytes / gibibyte,
                       join(storages, ", ")),
           ""},
          {"DVFS", "experiments", State::available,
           "clocks are pinned, or follow the load (dvfs = on)", ""},
          {"throttling", "experiments", State::missing, "heat slows nothing", ""}};
}

}  // namespace flyball
