// The twin held against the findings of a study: does it show each with its sign and its size?
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "evaluate/findings/published_study.h"

namespace flyball {

enum class FindingVerdict {
  holds,  ///< the published sign and its size within a factor of 1.5, or within the spread of it
  size,   ///< the sign alone, or too small to have one
  sign,   ///< the other way round
};
const char* finding_verdict_name(FindingVerdict verdict);

struct CheckResult {
  std::string what;              ///< "mobilenet_v3 on xavier_agx: stall_s, workers 0 → 1"
  std::string published, found;  ///< as text, with what changed in percent
  FindingVerdict verdict = FindingVerdict::holds;
};
struct FindingResult {
  std::string id, name, section, says;  ///< as PublishedFinding has them
  bool held = false;
  std::vector<CheckResult> checks;
  FindingVerdict verdict = FindingVerdict::holds;  ///< the worst of them
};
struct FindingsReport {
  std::string study, usual;  ///< its title; the mode and the storage of each board, in words
  std::vector<FindingResult> findings;

  size_t count(FindingVerdict verdict, bool held_only) const;
  size_t held() const;  ///< findings that are
};

/// Whole epochs simulated without noise, though samples differ. Errors: boards, workloads and
/// modes that the twin has not.
Result<FindingsReport> evaluate_findings(const PublishedStudy& study);
Json to_json(const FindingsReport& report);

}  // namespace flyball
