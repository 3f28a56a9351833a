#include "device/standing_mode.h"

#include <fmt/format.h>

#include "base/text.h"

namespace flyball {

Status check_stands(const PowerMode& asked, const PowerMode& caps) {
  for (const auto& [name, value] : asked.values) {
    const auto cap = caps.values.find(name);
    if (cap == caps.values.end()) continue;
    const bool stands = name == axis::cpu_cores ? cap->second == value : cap->second <= value;
    if (!stands)
      return Error{Code::unavailable,
                   fmt::format("{} was set to {}, and is {} now: another program has set the board",
                               name, format_number(value), format_number(cap->second)),
                   "stop what sets it meanwhile: nvpmodel, jetson_clocks, a monitor that applies "
                   "modes"};
  }
  return {};
}

}  // namespace flyball
