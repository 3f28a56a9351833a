// The rules of the benchmark, applied to a result as somebody else would.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "benchmark/result.h"

namespace flyball {

struct AppliedRule {
  std::string rule;           ///< "target reached"
  std::string entry;          ///< id; "" of the file as a whole
  std::optional<bool> holds;  ///< nothing: there is nothing to apply it to, and `why` says what
  std::string why;            ///< what was found
};

struct CheckedResult {
  ReadResult read;
  std::vector<AppliedRule> rules;

  bool any_broken() const;
  /// "" where it may stand in a table; else the first rule that it breaks.
  std::string broken() const;
  /// May the power and energy of this entry stand in a table?
  bool power_counts(const std::string& entry) const;
};

CheckedResult check_result(ReadResult read, const Benchmark& benchmark);
Json check_json(const CheckedResult& checked);

}  // namespace flyball
