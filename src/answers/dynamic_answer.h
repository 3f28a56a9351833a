// The answer to a changing arrival rate: a mode for each window.
#pragma once

#include <memory>

#include "answers/answer.h"
#include "base/json_fwd.h"
#include "problem/dynamic.h"

namespace flyball {

struct DynamicAnswer : SearchAnswer {
  Problem problem;                               ///< of the highest rate
  DynamicPlan plan;                              ///< when there is one
  Provenance provenance = Provenance::measured;  ///< of what was profiled
};

/// The keys of docs/json.md.
Json to_json(const DynamicAnswer& answer);

}  // namespace flyball
