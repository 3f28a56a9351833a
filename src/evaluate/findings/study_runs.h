// Epochs of a simulated board in the settings of a study.
#pragma once

#include <map>
#include <string>

#include "evaluate/findings/study.h"

namespace flyball {

/// Figures by name (study_figures()), as far as the setting has them.
using StudyFigures = std::map<std::string, double>;

class StudyRuns {
 public:
  explicit StudyRuns(const Study& study) : study_(study) {}

  /// Of one epoch, simulated at the first call with this setting. Errors: what the twin has not;
  /// Code::infeasible where it does not fit the memory.
  Result<StudyFigures> figures(const StudySetting& setting);
  Result<double> figure(const StudySetting& setting, const std::string& name);

 private:
  Result<StudyFigures> epoch(const StudySetting& setting) const;
  Result<StudyFigures> idle(const StudySetting& setting) const;

  const Study& study_;
  std::map<StudySetting, StudyFigures> known_;
};

}  // namespace flyball
