#include "device/verify/verify_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/os/as_root.h"
#include "base/os/interrupt.h"
#include "base/os/tool_process.h"
#include "base/text.h"
#include "device/helper/link.h"
#include "device/host/board_device.h"
#include "device/modes/board_report.h"
#include "device/verify/rail_check.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

constexpr double least_celsius = -40, most_celsius = 125;

std::string listed(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(format_number(value));
  return join(texts, ", ");
}

std::string with_unit(double value, const std::string& unit) {
  return format_number(value) + (unit.empty() ? "" : " " + unit);
}

bool may_need_reboot(const BoardIdentity& board) {
  return board.spec && std::ranges::count(board.spec->raising_may_need_reboot, board.l4t) > 0;
}

// What is wrong with an axis as the board shows it; "" where nothing is.
std::string axis_fault(const AxisReport& axis) {
  const std::vector<double>& values = axis.axis.values;
  if (values.empty()) return "the board lists no value";
  if (!std::ranges::is_sorted(values)) return "the values do not ascend";
  if (!axis.current) return "the cap in force does not read";
  if (!axis.now) return "what it does now does not read";
  if (*axis.current > values.back() * 1.02)
    return fmt::format("the cap in force, {}, lies above every listed value",
                       format_number(*axis.current));
  return "";
}

std::string preset_text(const Preset& preset) {
  return fmt::format("{} ({})", preset.name, preset.id);
}

}  // namespace

VerifyDurations VerifyDurations::of(bool quick) {
  if (!quick) return {};
  return {.values = 2, .stay_s = 0.2, .settle_s = 0, .rails_s = 2, .trial_s = 0.5, .trials = 2};
}

double VerifyDurations::seconds(size_t knobs) const {
  constexpr double of_a_switch_s = 0.5, of_a_start_s = 3;
  return static_cast<double>(knobs * values) * (stay_s + of_a_switch_s) + settle_s + rails_s +
         static_cast<double>(trials) * (trial_s + of_a_start_s);
}

const Preset* noted_preset(const Presets& presets) {
  const auto found = std::ranges::find(presets.list, true, &Preset::told);
  return found == presets.list.end() ? nullptr : &*found;
}

VerifySteps::VerifySteps(std::filesystem::path root, bool quick,
                         std::function<void(const CheckedStep&)> tell,
                         std::function<void(const Error&)> left)
    : root_(std::move(root)),
      durations_(VerifyDurations::of(quick)),
      tell_(std::move(tell)),
      left_(std::move(left)) {
  done_.board = identify_board(root_);
  done_.tree = root_ != "/";
  done_.quick = quick;
  done_.started_utc = wall_clock_utc();
}

void VerifySteps::add(CheckedStep step) {
  step.seconds = step_.restart();
  tell_(step);
  done_.steps.push_back(std::move(step));
}

void VerifySteps::check_identity() {
  const BoardIdentity& board = done_.board;
  CheckedStep step{.name = "board", .found = fmt::format("{} ({})", board.name, board.id)};
  if (!board.known_by.empty()) step.found += ", by " + board.known_by;
  if (!board.release.empty()) {
    const std::string jetpack = board.jetpack();
    step.found += jetpack.empty() ? ", JetPack not known" : ", JetPack " + jetpack;
    step.found += ", L4T " + board.release;
  }
  for (const Error& problem : board.problems) step.details.push_back(problem.message);
  if (board.id == "host") {
    step.verdict = Verdict::left_out;
    step.hint = "this machine is no board with a device tree: what follows is what any Linux shows";
  } else if (!board.spec || !board.problems.empty()) {
    step.verdict = Verdict::failed;
    step.hint = "the bundle of this command is what it takes to add the board (docs/boards.md)";
  }
  add(std::move(step));
}

void VerifySteps::check_gap(const AxisGap& gap) {
  CheckedStep step{.name = gap.axes.empty() ? "knobs" : "axis " + join(gap.axes, ", "),
                   .verdict = Verdict::failed,
                   .found = gap.why.message,
                   .hint = gap.why.hint};
  if (gap.why.code == Code::permission || !done_.board.jetson()) step.verdict = Verdict::left_out;
  add(std::move(step));
}

void VerifySteps::check_axes() {
  const auto board = open_any_board(done_.board, root_);
  for (const AxisReport& axis : examine_axes(board->knobs())) {
    const std::vector<double>& values = axis.axis.values;
    CheckedStep step{.name = "axis " + axis.axis.name, .found = axis_fault(axis)};
    if (!step.found.empty()) {
      step.verdict = Verdict::failed;
      step.hint = "the bundle holds the files that it was read from";
    } else {
      step.found =
          fmt::format("{} values from {} to {}, cap {}, now {}", values.size(),
                      format_number(values.front()), with_unit(values.back(), axis.axis.unit),
                      format_number(*axis.current), format_number(*axis.now));
    }
    if (!values.empty()) step.details.push_back(listed(values));
    add(std::move(step));
  }
}

// Nothing above what is in force, and nothing above the preset, whoever raised it since.
double VerifySteps::ceiling_of(const AxisState& axis) const {
  const auto of = [&](const PowerMode& mode) {
    const auto found = mode.values.find(axis.axis.name);
    return found == mode.values.end() ? axis.axis.values.back() : found->second;
  };
  const Preset* preset = noted_preset(presets_);
  return preset ? std::min(of(caps_), of(preset->mode)) : of(caps_);
}

void VerifySteps::open_in_tune(const AxisState& axis, std::vector<double> values) {
  if (axis.own) return;
  std::ranges::sort(values);
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(format_number(value));
  axes_.push_back(fmt::format("{}={}", axis.axis.name, join(texts, ",")));
}

Status VerifySteps::check_one_knob(Device& device, const AxisState& axis) {
  const std::string& unit = axis.axis.unit;
  const double ceiling = ceiling_of(axis);
  CheckedStep step{.name = "knob " + axis.axis.name};
  auto values = values_to_try(axis.axis.values, ceiling, durations_.values);
  if (may_need_reboot(done_.board) || values.empty()) {
    step.verdict = Verdict::left_out;
    step.found = values.empty() ? fmt::format("no listed value lies within the cap in force, {}",
                                              with_unit(ceiling, unit))
                                : "on this release clocks that were lowered may rise only after a "
                                  "reboot, so nothing is lowered here";
    if (!values.empty()) {
      step.hint = fmt::format(
          "`flyball mode set {}={}` tries it, `flyball mode restore` says "
          "whether it rose",
          axis.axis.name, format_number(values.back()));
      open_in_tune(axis, {values.front()});
    }
    add(std::move(step));
    return {};
  }
  const KnobCheckOptions options{.values = durations_.values,
                                 .stay_s = durations_.stay_s,
                                 .clocks = !done_.tree,
                                 .interrupted = &interrupt_flag()};
  FLYBALL_ASSIGN(KnobCheck check, check_knob(device, axis, values, options));
  check.ceiling = ceiling;
  for (const TriedValue& value : check.values) {
    std::string detail = format_number(value.asked) + ": ";
    detail += !value.failure.empty() ? value.failure
                                     : fmt::format("read back after {:.0f} ms", value.set_ms);
    if (value.clock) detail += fmt::format(", the clock read {}", format_number(*value.clock));
    if (!value.failure.empty()) step.verdict = Verdict::failed;
    step.details.push_back(std::move(detail));
  }
  for (std::string& difference :
       changed_settings(before_, read_board_settings(root_, done_.board))) {
    check.restored = false;
    step.verdict = Verdict::failed;
    step.details.push_back("not put back: " + std::move(difference));
  }
  step.found = step.verdict == Verdict::passed
                   ? fmt::format("{} set, read back and put back", listed(values))
                   : fmt::format("{} did not all do what was asked", listed(values));
  if (step.verdict == Verdict::failed)
    step.hint =
        "does a service (nvpmodel, jetson_clocks, nvfancontrol) set it meanwhile? "
        "`flyball mode show` says what is in force";
  // One that failed stays where it is.
  if (step.verdict != Verdict::passed) values.resize(1);
  open_in_tune(axis, values);
  done_.knobs.push_back(std::move(check));
  add(std::move(step));
  return {};
}

Status VerifySteps::check_knobs() {
  FLYBALL_ASSIGN(const auto board, open_board("", root_));
  FLYBALL_ASSIGN(const auto device, board->knobs(left_));
  presets_ = board->presets();
  caps_ = device->caps();
  before_ = read_board_settings(root_, done_.board);
  for (const AxisGap& gap : device->gaps()) check_gap(gap);
  for (const AxisState& axis : device->states())
    if (axis.settable && !axis.asked) FLYBALL_CHECK(check_one_knob(*device, axis));
  return device->restore();
}

void VerifySteps::add_rails_step(const std::vector<std::string>& gaps, const std::string& total) {
  CheckedStep step{.name = "rails"};
  double sum_w = 0;
  std::vector<std::string> parts;
  size_t changes = 0, readings = 0;
  for (const RailCheck& rail : done_.rails) {
    if (const std::string fault = rail_fault(rail); !fault.empty()) {
      step.verdict = Verdict::failed;
      step.details.push_back(fault);
    }
    step.details.push_back(fmt::format("{}: {:.3f} W, from {:.3f} to {:.3f} in {} readings",
                                       rail.name, rail.power_w, rail.least_w, rail.most_w,
                                       rail.readings));
    changes += rail.changes;
    readings = std::max(readings, rail.readings);
    if (total.empty() || rail.total != total) continue;
    sum_w += rail.power_w;
    parts.push_back(rail.name);
  }
  step.found = total.empty() ? fmt::format("{} rails, which add up to no total that is known",
                                           done_.rails.size())
                             : fmt::format("{} {:.1f} W = {}", total, sum_w, join(parts, " + "));
  step.details.insert(step.details.end(), gaps.begin(), gaps.end());
  constexpr size_t many_readings = 50;
  if (!gaps.empty() && done_.board.jetson()) step.verdict = Verdict::failed;
  if (changes == 0 && readings >= many_readings && !done_.tree) {
    step.verdict = Verdict::failed;
    step.details.push_back(fmt::format("no rail changed in {} readings", readings));
  }
  if (step.verdict == Verdict::failed)
    step.hint =
        "power of trials rests on these: the bundle holds the files that they were read from";
  add(std::move(step));
}

Status VerifySteps::check_rails() {
  const SensorList sensors = open_power_sensors(root_);
  if (!measures_power(sensors)) {
    add({.name = "rails",
         .verdict = done_.board.jetson() ? Verdict::failed : Verdict::left_out,
         .found = power_gap(sensors),
         .hint = "`flyball doctor` lists the power sensors that there are"});
    return {};
  }
  std::vector<std::string> gaps;
  for (const Error& gap : sensors.gaps) gaps.push_back(gap.message);
  sleep_until_ns(monotonic_ns() + nanoseconds(durations_.settle_s));
  CheckedStep compared{.name = "tegrastats"};
  const auto tool = find_board_tool(root_, "tegrastats");
  auto both = tool ? compare_with_tegrastats(sensors, *tool, durations_.rails_s, &interrupt_flag())
                   : Result<ComparedRails>(tool.error());
  if (both && is_interrupted(&interrupt_flag()))
    both = Error{Code::interrupted, "interrupted; the board is as it was", ""};
  if (!both && both.error().code == Code::interrupted) return both.error();
  done_.rails = both ? both->rails : watch_rails(sensors, durations_.rails_s, &interrupt_flag());
  add_rails_step(gaps, preferred_total(sensors));
  if (!both) {
    compared.verdict = tool ? Verdict::failed : Verdict::left_out;
    compared.found = both.error().message;
    compared.hint = both.error().hint;
    add(std::move(compared));
    return {};
  }
  size_t same = 0;
  double largest_pct = 0;
  for (const RailCheck& rail : done_.rails) {
    if (!rail.tegrastats_w) {
      compared.details.push_back(rail.name + ": tegrastats has no such rail");
      continue;
    }
    compared.details.push_back(fmt::format("{}: {:.3f} W here, {:.3f} W there", rail.name,
                                           rail.power_w, *rail.tegrastats_w));
    if (differs(rail))
      compared.verdict = Verdict::failed;
    else
      ++same;
    largest_pct = std::max(largest_pct, std::abs(rail.difference_pct.value_or(0)));
  }
  for (const std::string& name : both->only_there)
    compared.details.push_back(name + ": only tegrastats has it");
  if (same == 0 && compared.verdict == Verdict::passed) {
    compared.verdict = Verdict::left_out;
    compared.found = "it tells no rail that is read here";
    compared.hint = "some releases tell rails to root alone: " + as_root("verify-board");
  } else {
    compared.found = fmt::format(
        "{} rails within a tenth or 0.2 W of it; largest difference {:.1f} %", same, largest_pct);
  }
  add(std::move(compared));
  return {};
}

void VerifySteps::check_presets() {
  CheckedStep step{.name = "presets"};
  for (const Error& problem : presets_.problems) step.details.push_back(problem.message);
  if (presets_.list.empty() && presets_.problems.empty()) {
    step.verdict = Verdict::left_out;
    step.found = "this board has no etc/nvpmodel.conf";
    add(std::move(step));
    return;
  }
  for (const Preset& preset : presets_.list)
    step.details.push_back(preset_text(preset) + ": " + describe(preset.mode.values));
  const auto active = std::ranges::find(presets_.list, true, &Preset::active);
  step.found =
      fmt::format("{} presets of nvpmodel.conf, in force: {}", presets_.list.size(),
                  active != presets_.list.end() ? preset_text(*active) : "none that is known");
  if (!presets_.problems.empty()) {
    step.verdict = Verdict::failed;
    step.hint = "lines of nvpmodel.conf that could not be taken are named above";
  }
  add(std::move(step));
  check_nvpmodel();
}

void VerifySteps::check_nvpmodel() {
  CheckedStep step{.name = "nvpmodel"};
  const auto tool = find_board_tool(root_, "nvpmodel");
  const auto answer = tool ? run_tool(*tool, {"-q"}, 5) : Result<std::string>(tool.error());
  if (!answer) {
    step.verdict = tool ? Verdict::failed : Verdict::left_out;
    step.found = answer.error().message;
    step.hint = answer.error().hint;
    add(std::move(step));
    return;
  }
  const PresetInForce told = parse_nvpmodel_query(*answer);
  const Preset* active = noted_preset(presets_);
  const bool same = active && (told.id ? *told.id == active->id : told.name == active->name);
  step.found = fmt::format("`nvpmodel -q` says {}{}{}",
                           told.name.empty() ? "nothing that is known" : told.name,
                           told.id ? fmt::format(" ({})", *told.id) : "",
                           same ? ", as var/lib/nvpmodel/status does"
                                : fmt::format(", var/lib/nvpmodel/status says {}",
                                              active ? preset_text(*active) : "nothing"));
  if (!same) {
    step.verdict = Verdict::failed;
    step.hint = "between presets of equal caps Flyball goes by the file";
  }
  add(std::move(step));
}

void VerifySteps::check_temperatures() {
  CheckedStep step{.name = "temperatures"};
  const SensorList sensors = open_thermal_sensors(root_);
  std::string hottest;
  double most = least_celsius;
  size_t zones = 0;
  for (const SensorPtr& sensor : sensors.sensors) {
    const SensorInfo& info = sensor->info();
    const auto value = sensor->read();
    if (!value) continue;
    if (info.throttling != Throttling::none) {
      step.details.push_back(fmt::format("{}: {:.0f}", info.name, *value));
      continue;
    }
    ++zones;
    step.details.push_back(fmt::format("{}: {:.1f} C", info.name, *value));
    if (*value < least_celsius || *value > most_celsius) step.verdict = Verdict::failed;
    if (*value > most) {
      most = *value;
      hottest = info.name;
    }
  }
  if (zones == 0) {
    step.verdict = Verdict::left_out;
    step.found = "no thermal zone is shown";
  } else {
    step.found = fmt::format("{} sensors, hottest {} at {:.0f} C", zones, hottest, most);
    if (step.verdict == Verdict::failed) step.hint = "one of them cannot be a temperature";
  }
  add(std::move(step));
}

Status VerifySteps::check_board() {
  check_identity();
  check_axes();
  FLYBALL_CHECK(check_knobs());
  FLYBALL_CHECK(check_rails());
  check_presets();
  check_temperatures();
  return {};
}

ShortTune VerifySteps::tune() const {
  return {.root = root_, .axes = axes_, .trial_s = durations_.trial_s, .trials = durations_.trials};
}

void VerifySteps::check_alone(const std::string& others) {
  if (others.empty()) return;
  add({.name = "alone",
       .verdict = Verdict::left_out,
       .found = others + " measured beside it",
       .hint = "rails, clocks and the tune are disturbed: repeat it when that has ended (--wait)"});
}

void VerifySteps::check_put_back() {
  CheckedStep step{.name = "put back",
                   .found = before_.size() == 1
                                ? "1 setting is what it was"
                                : fmt::format("{} settings are what they were", before_.size())};
  step.details = changed_settings(before_, read_board_settings(root_, done_.board));
  if (before_.empty()) {
    step.verdict = Verdict::left_out;
    step.found = "this machine has no settings that Flyball changes";
  } else if (!step.details.empty()) {
    step.verdict = Verdict::failed;
    step.found = fmt::format("{} of {} settings are not what they were", step.details.size(),
                             before_.size());
    step.hint = "a reboot sets all of them anew; please report this with the bundle";
  }
  add(std::move(step));
}

const Verification& VerifySteps::finish() {
  done_.seconds = whole_.seconds();
  return done_;
}

}  // namespace flyball
