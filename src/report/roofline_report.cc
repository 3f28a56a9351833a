#include "report/roofline_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/text.h"
#include "report/grid.h"
#include "report/sheet.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t layers_in_table = 15, most_roofs = 4;

std::string mode_words(const PowerMode& mode) {
  return mode.values.empty() ? "as it is" : describe(mode.values);
}

std::string name_of(const BoundWorkload& one) {
  return fmt::format("{} {}, batch {}", one.workload, phase_name(one.phase),
                     format_number(one.batch_size));
}

std::string group_of(const BoundWorkload& one) {
  return one.doubted ? "doubtful readings" : one.workload;
}

// The highest mode, the lowest one, and those in which something was bound, a few at most.
std::vector<const ModeRoofs*> drawn_modes(const RooflineAnswer& answer) {
  std::vector<const ModeRoofs*> drawn;
  const auto add = [&](const ModeRoofs* mode) {
    if (mode && drawn.size() < most_roofs && std::ranges::count(drawn, mode) == 0)
      drawn.push_back(mode);
  };
  add(answer.roofs.highest());
  const auto rate = [](const ModeRoofs& mode) { return mode.flop_per_s; };
  std::vector<const ModeRoofs*> known;
  for (const ModeRoofs& mode : answer.roofs.modes)
    if (mode.flop_per_s > 0 && mode.bytes_per_s > 0) known.push_back(&mode);
  if (!known.empty())
    add(*std::ranges::min_element(known, {}, [&](const ModeRoofs* m) { return rate(*m); }));
  for (const BoundWorkload& one : answer.bound)
    for (const ModeRoofs& mode : answer.roofs.modes)
      if (mode.mode == one.mode) add(&mode);
  return drawn;
}

struct Range {
  double low = 1, high = 10;  ///< FLOP per byte

  void take(double intensity) {
    if (!(intensity > 0)) return;
    low = std::min(low, intensity / 3);
    high = std::max(high, intensity * 3);
  }
};

Range range_of(const RooflineAnswer& answer) {
  Range range;
  for (const BoundWorkload& one : answer.bound) range.take(one.totals.intensity());
  for (const ModeRoofs* mode : drawn_modes(answer)) {
    range.take(mode->balance());
    for (const SweepPoint& point : mode->sweep) range.take(point.intensity);
  }
  return range;
}

// GFLOP/s, or GFLOP/J, that a mode attains at an intensity.
double time_height(const ModeRoofs& mode, double intensity) {
  return std::min(mode.flop_per_s > 0 ? mode.flop_per_s : INFINITY,
                  mode.bytes_per_s > 0 ? mode.bytes_per_s * intensity : INFINITY) *
         1e-9;
}
double energy_height(const ModeRoofs& mode, double intensity) {
  const EnergyConstants& fit = *mode.energy;
  return 1e-9 / (fit.eps_flop.value + fit.eps_mem.value / intensity +
                 fit.pi0.value / (1e9 * time_height(mode, intensity)));
}

Json roof_line(const ModeRoofs& mode, const Range& range, bool energy) {
  Json points = Json::array();
  std::vector<double> at;
  constexpr int steps = 48;
  for (int i = 0; i <= steps; ++i)
    at.push_back(range.low * std::pow(range.high / range.low, static_cast<double>(i) / steps));
  if (const double ridge = mode.balance(); ridge > range.low && ridge < range.high)
    at.push_back(ridge);
  std::ranges::sort(at);
  for (const double intensity : at) {
    const double height = energy ? energy_height(mode, intensity) : time_height(mode, intensity);
    if (std::isfinite(height) && height > 0) points.push_back({intensity, height});
  }
  return {{"label", mode_words(mode.mode)}, {"points", points}};
}

Json chart_point(double x, double y, const std::string& label, const std::string& group) {
  return {{"x", x}, {"y", y}, {"label", label}, {"group", group}, {"marked", false}};
}

void add_time_points(Json& points, const BoundWorkload& one) {
  const double intensity = one.totals.intensity();
  if (!(intensity > 0)) return;
  const std::string where = fmt::format("{}: {}", name_of(one), mode_words(one.mode));
  if (std::isfinite(one.measured_s))
    points.push_back(
        chart_point(intensity, one.measured_flop_per_s() * 1e-9, where, group_of(one)));
  else if (one.roof_s > 0)
    points.push_back(chart_point(intensity, one.totals.flop / one.roof_s * 1e-9,
                                 where + " (by its roofs)", one.workload + ", by its roofs"));
  if (one.layers.size() < 2) return;
  for (const BoundLayer& layer : one.layers) {
    if (!(layer.layer.flop > 0) || !(layer.layer.bytes > 0) || !(layer.time_s > 0)) continue;
    points.push_back(chart_point(
        layer.layer.flop / layer.layer.bytes, layer.layer.flop / layer.time_s * 1e-9,
        fmt::format("{} ({}), {}: {:.3g} ms, bound by {}", layer.layer.name, layer.layer.op,
                    mode_words(one.mode), 1e3 * layer.time_s, binding_name(layer.binds)),
        one.workload + ", layers by the roofs"));
  }
}

Json chart(const std::string& title, const std::string& y, const std::string& unit) {
  return {{"title", title},
          {"x", {{"label", "intensity"}, {"unit", "FLOP/B"}}},
          {"y", {{"label", y}, {"unit", unit}}},
          {"points", Json::array()},
          {"limits", Json::array()},
          {"lines", Json::array()},
          {"log", true}};
}

void add_charts(Json& sheet, const RooflineAnswer& answer) {
  const Range range = range_of(answer);
  const std::vector<const ModeRoofs*> modes = drawn_modes(answer);
  Json time = chart("Time: what each byte's work lets the board attain", "attained", "GFLOP/s");
  Json energy = chart("Energy: what a joule does", "efficiency", "GFLOP/J");
  for (const ModeRoofs* mode : modes) {
    if (mode->flop_per_s > 0 || mode->bytes_per_s > 0)
      time["lines"].push_back(roof_line(*mode, range, false));
    if (mode->energy && (mode->flop_per_s > 0 || mode->bytes_per_s > 0))
      energy["lines"].push_back(roof_line(*mode, range, true));
    for (const SweepPoint& point : mode->sweep)
      time["points"].push_back(chart_point(point.intensity, point.flop.median * 1e-9,
                                           fmt::format("sweep, {}", mode_words(mode->mode)),
                                           "sweep, measured"));
  }
  for (const BoundWorkload& one : answer.bound) {
    add_time_points(time["points"], one);
    const double joules = one.power_w * one.measured_s;
    if (joules > 0 && one.totals.intensity() > 0)
      energy["points"].push_back(
          chart_point(one.totals.intensity(), one.totals.flop / joules * 1e-9,
                      fmt::format("{}: {}", name_of(one), mode_words(one.mode)), group_of(one)));
  }
  if (!time["points"].empty()) sheet["charts"].push_back(std::move(time));
  if (!energy["points"].empty()) sheet["charts"].push_back(std::move(energy));
}

void add_cases(Json& sheet, const RooflineAnswer& answer) {
  if (answer.cases.empty()) return;
  Json table = sheet_table("Energy of a minibatch over the modes",
                           "Saved and time are against the highest mode (MAXN); robust: without "
                           "readings of power that their neighbours contradict.",
                           {{"workload", ""},
                            {"batch", ""},
                            {"highest mode", "J"},
                            {"least", "J"},
                            {"saved", "%"},
                            {"robust", "%"},
                            {"time", "times"},
                            {"mode of least energy", ""},
                            {"doubt", ""}});
  for (const EnergyCase& one : answer.cases)
    table["rows"].push_back(
        sheet_row({fmt::format("{} {}", one.workload, phase_name(one.phase)),
                   one.batch_size > 0 ? Json(one.batch_size) : Json(nullptr), one.highest.joules(),
                   one.least.joules(), 100 * one.saving(), 100 * one.robust_saving(),
                   one.slowdown(), describe(one.least.mode), one.doubt()}));
  sheet["tables"].push_back(std::move(table));
}

void add_bindings(Json& sheet, const RooflineAnswer& answer) {
  Json table = sheet_table("What binds",
                           "Shares of the measured time, or of the roofs' where "
                           "nothing was measured; the rest no roof explains.",
                           {{"workload", ""},
                            {"mode", ""},
                            {"intensity", "FLOP/B"},
                            {"by the roofs", "ms"},
                            {"measured", "ms"},
                            {"compute", "%"},
                            {"memory", "%"},
                            {"launch", "%"},
                            {"loader", "%"}});
  const auto share = [](const BoundWorkload& one, Binding b) { return 100 * one.share(b); };
  for (const BoundWorkload& one : answer.bound)
    table["rows"].push_back(
        sheet_row({name_of(one), mode_words(one.mode), one.totals.intensity(), 1e3 * one.roof_s,
                   std::isfinite(one.measured_s) ? Json(1e3 * one.measured_s) : Json(nullptr),
                   share(one, Binding::compute), share(one, Binding::memory),
                   share(one, Binding::launch), share(one, Binding::loader)}));
  if (!answer.bound.empty()) sheet["tables"].push_back(std::move(table));
  for (const BoundWorkload& one : answer.bound) {
    if (one.layers.size() < 2 || one.mode != answer.bound.front().mode) continue;
    Json layers = sheet_table(fmt::format("Layers of {}", name_of(one)),
                              fmt::format("The longest of {}, by the roofs, {}.", one.layers.size(),
                                          mode_words(one.mode)),
                              {{"layer", ""},
                               {"operator", ""},
                               {"intensity", "FLOP/B"},
                               {"time", "ms"},
                               {"share", "%"},
                               {"bound by", ""}});
    for (size_t i = 0; i < std::min(layers_in_table, one.layers.size()); ++i) {
      const BoundLayer& layer = one.layers[i];
      layers["rows"].push_back(sheet_row(
          {layer.layer.name, layer.layer.op,
           layer.layer.bytes > 0 ? Json(layer.layer.flop / layer.layer.bytes) : Json(nullptr),
           1e3 * layer.time_s, 100 * layer.time_s / one.roof_s, binding_name(layer.binds)}));
    }
    sheet["tables"].push_back(std::move(layers));
  }
}

void add_figures(Json& sheet, const RooflineAnswer& answer) {
  const ModeRoofs* highest = answer.roofs.highest();
  if (!highest) return;
  const char* known = provenance_name(answer.roofs.provenance);
  const std::string mode = highest->mode.values.empty() ? "as it is" : "highest mode";
  const auto figure = [&](const char* label, double value, const char* unit) {
    if (value > 0) sheet["figures"].push_back(sheet_figure(label, value, unit, known, mode));
  };
  figure("arithmetic", highest->flop_per_s * 1e-9, "GFLOP/s");
  figure("memory", highest->bytes_per_s * 1e-9, "GB/s");
  figure("balance", highest->balance(), "FLOP/B");
  if (!highest->energy) return;
  const auto bounded = [&](const char* label, const Estimate& b, double scale, const char* unit) {
    sheet["figures"].push_back(
        sheet_figure(label, {b.value * scale, b.low * scale, b.high * scale}, unit, known, mode));
  };
  bounded("energy of a FLOP", highest->energy->eps_flop, 1e12, "pJ");
  bounded("energy of a byte", highest->energy->eps_mem, 1e12, "pJ");
  bounded("static power", highest->energy->pi0, 1, "W");
}

std::string headline(const RooflineAnswer& answer) {
  if (!answer.verdicts.empty()) return answer.verdicts.front();
  const ModeRoofs* highest = answer.roofs.highest();
  if (!highest) return fmt::format("No mode of {} has roofs of its own.", answer.roofs.device);
  return fmt::format("{} does {:.3g} GFLOP/s and moves {:.3g} GB/s at most.", answer.roofs.device,
                     highest->flop_per_s * 1e-9, highest->bytes_per_s * 1e-9);
}

}  // namespace

Json roofline_report(const RooflineAnswer& answer) {
  const BoardRoofs& roofs = answer.roofs;
  const std::string doubt =
      roofs.made_up() ? fmt::format(" ({})", provenance_name(roofs.provenance)) : std::string();
  Json sheet = new_sheet({"roofline", "roofs of " + roofs.device + doubt,
                          fmt::format("Roofline · {}{}", roofs.title, doubt), headline(answer),
                          answer.request.command, roofs.measured_utc});
  for (size_t i = 1; i < answer.verdicts.size(); ++i) sheet["lines"].push_back(answer.verdicts[i]);
  add_figures(sheet, answer);
  add_charts(sheet, answer);
  Json grids = Json::array();
  for (const WorkloadTable& table : answer.tables) grids.push_back(sheet_grid(table));
  if (!grids.empty()) sheet["grids"] = std::move(grids);
  add_cases(sheet, answer);
  add_bindings(sheet, answer);
  for (const std::string& note : answer.notes) add_note(sheet, "note", note);
  if (!roofs.disturbed.empty()) add_note(sheet, "warning", "measured beside " + roofs.disturbed);
  sheet["facts"].push_back(fact_list("Board", {{"name", roofs.device},
                                               {"fingerprint", roofs.fingerprint},
                                               {"tables", join(roofs.sources, ", ")},
                                               {"power total", roofs.total},
                                               {"started", roofs.measured_utc}}));
  return sheet;
}

}  // namespace flyball
