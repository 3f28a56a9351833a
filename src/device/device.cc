#include "device/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace flyball {

bool AxisGap::concerns(const std::string& axis) const {
  return std::ranges::count(axes, axis) > 0;
}

std::string AxisGap::text() const {
  return why.hint.empty() ? why.message : why.message + "; " + why.hint;
}

std::vector<Axis> Device::axes() const {
  std::vector<Axis> axes;
  for (AxisState& state : states())
    if (state.settable) axes.push_back(std::move(state.axis));
  return axes;
}

std::vector<std::string> Device::root_axes() const {
  std::vector<std::string> names;
  for (const AxisGap& gap : gaps())
    if (gap.why.code == Code::permission)
      names.insert(names.end(), gap.axes.begin(), gap.axes.end());
  return names;
}

std::vector<std::string> Device::gap_texts() const {
  std::vector<std::string> texts;
  for (const AxisGap& gap : gaps()) texts.push_back(gap.text());
  return texts;
}

std::string Device::out_of_reach(const PowerMode& mode) const {
  for (const AxisState& state : states()) {
    const auto asked = mode.values.find(state.axis.name);
    if (!state.stays_at || asked == mode.values.end() ||
        asked->second <= *state.stays_at * (1 + 1e-6))
      continue;
    return fmt::format(
        "{} {} needs a reboot: it was lowered to {} and did not rise again, as on old releases "
        "of JetPack; reboot the board, and the same command goes on with it",
        state.axis.name, format_number(asked->second), format_number(*state.stays_at));
  }
  return "";
}

std::vector<Axis> axes_for_others(const Device& device) {
  std::vector<Axis> axes;
  for (AxisState& state : device.states())
    if (state.settable && !state.own) axes.push_back(std::move(state.axis));
  return axes;
}

}  // namespace flyball
