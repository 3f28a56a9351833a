#include "search/lookup.h"

#include <cmath>

namespace flyball {

std::optional<Reading> Lookup::read(size_t role, size_t candidate, const char* reason) {
  const Record* record = history_.find(role, candidate);
  if (!record) {
    if (!wants_) wants_ = Ask{role, candidate, reason, false};
    return {};
  }
  if (record->failed()) return Reading{unlimited, unlimited};
  Reading value = record->value();
  // Whether an unread power is within a budget is not known: it counts as beyond it.
  if (std::isnan(value.power_w))
    value.power_w = history_.problem().budgets.power_w == unlimited ? 0 : unlimited;
  return value;
}

}  // namespace flyball
