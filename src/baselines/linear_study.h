// The epochs that the characterisation study fitted its linear predictors to, and how far its
// predictions were off (studies/linear.csv).
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"

namespace flyball {

/// One epoch after the first; NaN where nothing is published.
struct LinearStudyEpoch {
  std::string mode;              ///< a letter
  std::vector<double> settings;  ///< in the order of LinearStudy::axes
  double stages_s = 0;           ///< its stages added up (section 5.6)
  double e2e_s = 0;              ///< from end to end, as section 5.7 draws it
  double energy_mwh = 0;
  double time_error_pct = 0, energy_error_pct = 0;  ///< of the published predictions
};
struct LinearStudyNetwork {
  std::string workload;
  std::vector<LinearStudyEpoch> epochs;  ///< in the same modes for every network

  /// Predicted without having been looked at: neither modes nor energy were chosen or fitted on it.
  bool ab_initio() const;
};
struct LinearStudy {
  std::vector<std::string> axes;
  std::vector<LinearStudyNetwork> networks;
};

/// Errors: a column is missing, no number, an epoch that takes no time, networks in different
/// modes.
Result<LinearStudy> parse_linear_study(const Csv& csv);
/// What travels inside the program.
Result<LinearStudy> known_linear_study();

struct LinearStudyText {
  const char *file, *text;
};
const std::vector<LinearStudyText>& linear_study_texts();

}  // namespace flyball
