// Measurements are comparable where board (also which of a collected store), power total and
// conditions are the same: a source is one of each. What differs between sources is told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "store/run.h"

namespace flyball {

struct Source {
  std::string name;  ///< "A", "B", …
  std::string device, fingerprint;
  std::string power_total;  ///< "" where there is no power
  std::optional<Conditions> conditions;
  std::string board, board_name;  ///< as in StoredMeasurement
  size_t measurements = 0;
};

/// All sources of these measurements, in the order in which they first occur.
class Sources {
 public:
  /// The position of its source, which is made where there is none yet. A failed trial counts to
  /// one of its board and conditions, whatever its power total.
  size_t of(const StoredMeasurement& stored);
  const std::vector<Source>& all() const { return all_; }

 private:
  std::vector<Source> all_;
};

/// "power total is module in A, input in B" for each thing that differs; empty where the two are
/// comparable.
std::vector<std::string> differences(const Source& first, const Source& second);

/// As `--json` shows them: each with its facts, and in what it differs from the first one.
Json sources_json(const Sources& sources);

}  // namespace flyball
