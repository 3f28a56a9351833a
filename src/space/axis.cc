#include "space/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace flyball {
namespace {

struct KnownAxis {
  std::string_view name, unit;
  Scope scope;
};

constexpr std::array known_axes = {
    KnownAxis{axis::cpu_cores, "", Scope::board},
    KnownAxis{axis::cpu_mhz, "MHz", Scope::board},
    KnownAxis{axis::gpu_mhz, "MHz", Scope::board},
    KnownAxis{axis::mem_mhz, "MHz", Scope::board},
    KnownAxis{axis::power_limit_w, "W", Scope::board},
    KnownAxis{axis::batch_size, "", Scope::run},
    KnownAxis{axis::loader_workers, "", Scope::run},
    KnownAxis{axis::prefetch, "", Scope::run},
    KnownAxis{"threads", "", Scope::run},
    KnownAxis{"precision", "", Scope::run},
};

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

const Axis* find_axis(std::span<const Axis> axes, std::string_view name) {
  const auto found = std::ranges::find(axes, name, &Axis::name);
  return found == axes.end() ? nullptr : &*found;
}

bool is_known_axis(const std::string& name) {
  return std::ranges::find(known_axes, name, &KnownAxis::name) != known_axes.end();
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

}  // namespace flyball
