#include "space/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/distinct.h"
#include "base/text.h"

namespace flyball {
namespace {

// More than any count, clock in MHz or power in W of a board.
constexpr double most_of_known = 1e9;

enum class Legal { any, above_zero, from_zero, whole_from_zero, whole_from_one };

struct KnownAxis {
  std::string_view name, unit;
  Scope scope;
  Legal legal;
};

constexpr std::array known_axes = {
    KnownAxis{axis::cpu_cores, "", Scope::board, Legal::whole_from_one},
    KnownAxis{axis::cpu_mhz, "MHz", Scope::board, Legal::above_zero},
    KnownAxis{axis::gpu_mhz, "MHz", Scope::board, Legal::from_zero},  // 0: switched off
    KnownAxis{axis::mem_mhz, "MHz", Scope::board, Legal::above_zero},
    KnownAxis{axis::power_limit_w, "W", Scope::board, Legal::above_zero},
    KnownAxis{axis::batch_size, "", Scope::run, Legal::whole_from_one},
    KnownAxis{axis::loader_workers, "", Scope::run, Legal::whole_from_zero},
    KnownAxis{axis::prefetch, "", Scope::run, Legal::whole_from_zero},
    KnownAxis{"tokens", "", Scope::run, Legal::whole_from_one},
    KnownAxis{"threads", "", Scope::run, Legal::whole_from_zero},  // 0: all cores
    KnownAxis{"precision", "", Scope::run, Legal::any},
};

constexpr std::string_view run_suffix = ":run", board_suffix = ":board";

}  // namespace

const char* phase_name(Phase phase) {
  return phase == Phase::train ? "train" : "infer";
}

Result<Phase> parse_phase(const std::string& text) {
  if (text == "train" || text == "training") return Phase::train;
  if (text == "infer" || text == "inference") return Phase::infer;
  return Error{Code::invalid_argument, fmt::format("'{}' is not a phase", text),
               "write train or infer"};
}

Axis named_axis(const std::string& name, std::vector<double> values) {
  for (const KnownAxis& known : known_axes)
    if (known.name == name) return {name, std::string(known.unit), std::move(values), known.scope};
  const std::string_view view = name;
  const std::string unit = view.ends_with("_mhz") ? "MHz" : view.ends_with("_w") ? "W" : "";
  return {name, unit, std::move(values), Scope::board};
}

std::string axis_title(const Axis& axis) {
  if (named_axis(axis.name).scope == axis.scope) return axis.name;
  return axis.name + std::string(axis.scope == Scope::run ? run_suffix : board_suffix);
}

Axis titled_axis(const std::string& title) {
  for (const auto& [suffix, scope] :
       {std::pair{run_suffix, Scope::run}, {board_suffix, Scope::board}})
    if (title.size() > suffix.size() && title.ends_with(suffix)) {
      Axis axis = named_axis(title.substr(0, title.size() - suffix.size()));
      axis.scope = scope;
      return axis;
    }
  return named_axis(title);
}

const Axis* find_axis(std::span<const Axis> axes, std::string_view name) {
  const auto found = std::ranges::find(axes, name, &Axis::name);
  return found == axes.end() ? nullptr : &*found;
}

bool is_known_axis(const std::string& name) {
  return std::ranges::find(known_axes, name, &KnownAxis::name) != known_axes.end();
}

std::vector<std::string> known_axis_names() {
  std::vector<std::string> names;
  for (const KnownAxis& known : known_axes) names.emplace_back(known.name);
  return names;
}

std::string axis_value_fault(const std::string& name, double value) {
  if (!std::isfinite(value)) return "it is no finite number";
  const auto known = std::ranges::find(known_axes, name, &KnownAxis::name);
  const Legal legal = known == known_axes.end() ? Legal::any : known->legal;
  const bool whole = std::floor(value) == value;
  if (known != known_axes.end() && std::abs(value) > most_of_known)
    return fmt::format("it takes numbers up to {:g}", most_of_known);
  if (legal == Legal::whole_from_one && (!whole || value < 1))
    return "it takes whole numbers from 1";
  if (legal == Legal::whole_from_zero && (!whole || value < 0))
    return "it takes whole numbers from 0";
  if (legal == Legal::above_zero && !(value > 0)) return "it takes numbers above 0";
  if (legal == Legal::from_zero && value < 0) return "it takes no negative numbers";
  return "";
}

std::string describe(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += (text.empty() ? "" : ", ") + name + " " + format_number(value);
  return text;
}

Settings all_settings(const Trial& trial) {
  Settings all = trial.mode.values;
  all.insert(trial.job.settings.begin(), trial.job.settings.end());
  return all;
}

double from_usual_batch(double batch_size) {
  return std::abs(std::log(std::max(batch_size, 0.5) / usual_batch_size));
}

std::string unknown_axes_note(std::span<const Axis> axes) {
  std::vector<std::string> unknown;
  for (const Axis& axis : axes)
    if (!is_known_axis(axis.name) && axis_title(axis) == axis.name)
      add_distinct(unknown, axis.name);
  if (unknown.empty()) return "";
  const bool one = unknown.size() == 1;
  return fmt::format("{} {} taken for {} of the board; leave out of the file what is no setting",
                     join(unknown, ", "), one ? "is" : "are", one ? "an axis" : "axes");
}

}  // namespace flyball
