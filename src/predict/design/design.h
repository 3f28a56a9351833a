// Which configurations to profile before any prediction; each design serves every predictor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/table.h"

namespace flyball {

/// What a design may look at.
struct DesignRequest {
  const Space* space = nullptr;  ///< distinct configurations
  size_t count = 0;              ///< so many are wanted
  uint64_t seed = 1;
  std::span<const WorkloadTable> references;
  std::string device;  ///< of the space; "" where it is not known
  Phase phase = Phase::train;
};

struct DesignEntry {
  std::string name;
  std::string summary;  ///< one line for `--help`
  Result<std::vector<size_t>> (*choose)(const DesignRequest& request);
};

/// The one list: random, maximin, lhs, informed.
const std::vector<DesignEntry>& designs();

/// Exactly `count` distinct indices of the space, in the order of profiling. Errors: no such design
/// (the names are listed), no or more configurations than the space has.
Result<std::vector<size_t>> choose_configurations(const std::string& design,
                                                  const DesignRequest& request);

}  // namespace flyball
