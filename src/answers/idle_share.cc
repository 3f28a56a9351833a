#include "answers/idle_share.h"

#include <fmt/format.h>

#include "base/figure.h"
#include "base/json.h"

namespace flyball {

std::string to_text(const IdleShare& share) {
  return fmt::format("of {} W, {} W ({:.0f} %) is idle power of this mode, {}{}",
                     number(share.of_w), number(share.idle_w), 100 * share.idle_w / share.of_w,
                     share.measured_utc.empty()
                         ? "simulated"
                         : fmt::format("measured {} (run {})", share.measured_utc, share.run),
                     share.doubts);
}

Json to_json(const IdleShare& share) {
  const bool simulated = share.measured_utc.empty();
  return {{"power_w", share.idle_w},
          {"share", share.idle_w / share.of_w},
          {"measured_utc", simulated ? Json() : Json(share.measured_utc)},
          {"run", simulated ? Json() : Json(share.run)}};
}

}  // namespace flyball
