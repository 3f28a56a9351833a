// Findings of a study asked of boards: does each hold there, with its sign and its size?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "experiment/summary.h"
#include "findings/finding_figures.h"
#include "findings/published_study.h"

namespace flyball {

enum class FindingVerdict {
  holds,  ///< the published sign and its size within a factor of 1.5, or within the spread of it
  size,   ///< the sign alone, or too small to have one
  sign,   ///< the other way round
};
const char* finding_verdict_name(FindingVerdict verdict);

/// A value beside the published one.
struct FindingValue {
  Estimate value{};    ///< bounds are NaN where there are none
  std::string text{};  ///< what is no number: a front, boards
};

/// One figure of a finding.
struct JudgedFigure {
  std::string name;           ///< "mobilenet_v3 on xavier_agx: stall_s, workers 0 → 1"
  std::string unit;           ///< "%" of a change; "×", "s", "W", …; "" of what is no number
  bool signed_value = false;  ///< a change: told with its sign
  FindingValue published;
  double spread_pct = 0;  ///< of the study: changes so near the published one hold
  std::optional<FindingValue> ours{};
  std::string detail{};                     ///< what a change is between: "285 → 13.3"
  std::optional<FindingVerdict> verdict{};  ///< nothing where it cannot be asked here: `why`
  std::string why{};
};

struct JudgedFinding {
  std::string study, id, name, section, claim;  ///< as PublishedFinding has them
  bool held = false;
  /// Asked of a board that the study does not have: of a change the sign alone counts.
  bool transferred = false;
  std::vector<JudgedFigure> figures;
  size_t elsewhere = 0;  ///< figures of boards that are not asked
  /// The worst of its figures; nothing where none could be asked.
  std::optional<FindingVerdict> verdict{};
  std::string why{};  ///< which figures differ, what could not be asked, and of which board it is
};

/// What was run for it, as means over its later epochs (its only one where there is one).
struct AskedRun {
  FindingSetting setting;
  EpochAverage means;
  bool usual = false;  ///< in the usual mode of its board
};
struct AskedBoard {
  std::string board;
  Provenance provenance = Provenance::simulated;
};
struct FindingsAnswer {
  std::vector<std::string> titles;  ///< of the studies
  std::vector<AskedBoard> boards;
  std::vector<JudgedFinding> findings;
  std::vector<AskedRun> runs;      ///< trainings, each once
  std::vector<std::string> notes;  ///< why runs deserve doubt, and what they lack

  /// Of another study, asked of the same boards.
  void add(FindingsAnswer other);
  size_t count(std::optional<FindingVerdict> verdict) const;
  /// That were asked of simulated boards, and whose figures never went into the simulation.
  size_t held() const;
  size_t held_holds() const;  ///< of them

 private:
  bool is_held(const JudgedFinding& finding) const;
};

/// "-12.6 %", "× 107", "285 s", "1.8 to 3.9 ×", "cdeijg".
std::string value_text(const JudgedFigure& figure, const FindingValue& value);
/// Of the one here, with what a change is between: "+7.9 % (285 → 307 s)"; "-" where there is none.
std::string ours_text(const JudgedFigure& figure);

/// Asks the findings of one study of these boards. Errors: those of RunSource::make().
Result<FindingsAnswer> judge_findings(const PublishedStudy& study,
                                      const std::vector<RunSource*>& boards);
/// The settings that it asks of one of these boards, each run once, without those of checks that
/// cannot be answered there.
std::vector<FindingSetting> settings_asked(const PublishedStudy& study,
                                           const std::vector<RunSource*>& boards,
                                           const RunSource& board);
Json findings_json(const FindingsAnswer& answer);

}  // namespace flyball
