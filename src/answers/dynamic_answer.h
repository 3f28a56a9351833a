// The answer to a changing arrival rate: a mode for each window.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "answers/answer.h"
#include "problem/dynamic.h"

namespace flyball {

struct DynamicAnswer : SearchAnswer {
  Problem problem;                               ///< of the highest rate
  DynamicPlan plan;                              ///< when there is one
  Provenance provenance = Provenance::measured;  ///< of what was profiled
};

/// The keys of docs/json.md.
nlohmann::ordered_json to_json(const DynamicAnswer& answer);

}  // namespace flyball
