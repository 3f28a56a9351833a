#include "cli/text/together_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "cli/output.h"
#include "space/measurement.h"

namespace flyball::cli {

std::string together_text(const Together& together) {
  if (!together.refused.empty())
    return fmt::format("both simulated at once: {}\n", together.refused);
  return fmt::format(
      "both simulated at once, in turns, for {} s: {} training minibatches/s{}, longest latency {} "
      "ms{}{}\n",
      number(together.seconds), number(together.train_per_s),
      std::isnan(together.planned_per_s)
          ? ""
          : fmt::format(" (planned {})", number(together.planned_per_s)),
      number(together.latency_ms),
      std::isnan(together.hungrier_w)
          ? ""
          : fmt::format(", {} W while the hungrier runs", number(together.hungrier_w)),
      together.late > 0
          ? fmt::format("; {} requests without an answer in time", number(together.late))
          : "");
}

Json together_json(const std::optional<Together>& together) {
  if (!together) return nullptr;
  return {{"sharing", "interleaved"},
          {"seconds", together->seconds},
          {"refused", together->refused.empty() ? Json() : Json(together->refused)},
          {"train_per_s", or_null(together->train_per_s)},
          {"planned_per_s", or_null(together->planned_per_s)},
          {"latency_ms", or_null(together->latency_ms)},
          {"late", together->late},
          {"hungrier_w", or_null(together->hungrier_w)},
          {"provenance", provenance_name(Provenance::simulated)}};
}

}  // namespace flyball::cli
