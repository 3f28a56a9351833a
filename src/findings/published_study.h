// Findings of a published study as data (studies/*.toml): settings, figures, and how each finding
// was used.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/axis.h"

namespace flyball {

/// What a figure was read at.
struct FindingSetting {
  std::string board, workload, mode, storage;
  double workers = usual_loader_workers, batch = usual_batch_size;
  bool first = false;    ///< the first epoch, with nothing in the page cache; else a later one
  bool dropped = false;  ///< a later one before which the page cache was dropped
  bool governors = false;
  /// Of a board that does nothing: "logging", "pinned", "free", "suspended", at the wall; and
  /// state_at_rest.
  std::string state;
  auto operator<=>(const FindingSetting&) const = default;
};

/// The module by itself in the mode of a training: its base load.
inline constexpr const char* state_at_rest = "rest";

enum class FindingCheckKind {
  change,   ///< of a figure between two settings
  level,    ///< of a figure in one
  between,  ///< a ratio of two settings that lies between two published ones
  front,    ///< modes that no other one beats in time and energy
  range,    ///< of a figure over modes, in percent of the highest
  fits,     ///< boards whose memory is large enough
  table,    ///< a level of the table of all modes of a board (TableQuestion)
};
/// What is asked of the table of all modes of a board.
struct TableQuestion {
  std::string figure;  ///< a name of table_figures()
  std::string workload;
  Phase phase = Phase::train;
  double batch = 0;                        ///< 0: the only one
  std::string reference, reference_board;  ///< that a prediction learns from; the other network
  size_t profiled = 0;                     ///< modes that a prediction is made of
  std::string strategy;                    ///< of a search
  auto operator<=>(const TableQuestion&) const = default;
};
struct FindingCheck {
  FindingCheckKind kind = FindingCheckKind::change;
  FindingSetting from, to;  ///< a level and what fits have `from` only
  std::string figure;       ///< a name of finding_figures()
  double published_from = 0, published_to = 0;
  double spread_pct = 0;                   ///< the study's own
  bool sign_counts = false;                ///< although the spread is larger than the change
  bool at_most = false, at_least = false;  ///< a level that was told as a bound
  TableQuestion table{};
  std::string modes, front, on, off;
  std::vector<std::string> among, boards;  ///< that were tried, and of them those it fits

  /// Those that it is asked of.
  std::vector<std::string> asked_of() const;
};

struct PublishedFinding {
  std::string id;  ///< "small-memory": small letters, digits and '-'
  std::string name, section, says;
  bool held = false;        ///< its figures never went into the twin
  bool own_boards = false;  ///< what it says is of its boards: no other one is asked
  std::vector<FindingCheck> checks;
};
/// What holds on a board where a check does not say.
struct UsualSetting {
  std::string mode, storage;
  bool moves = false;  ///< what the study asked of other boards is asked of it as well
};
struct PublishedStudy {
  std::string id;  ///< the file's stem: "jetson_training"
  std::string title;
  std::map<std::string, UsualSetting> boards;
  std::map<std::string, PowerMode> modes;
  std::vector<PublishedFinding> findings;
};

/// The names of figures: stalls, computing and epochs (s), energy, power, shares, clocks.
const std::vector<std::string>& finding_figures();
/// Those of tables: errors of a prediction after `profiled` modes (%), profiles, share solved and
/// excess of a search, energy that the thriftiest mode saves against the highest one (%), at any
/// time and within 5 % of its time, and in how many modes the energy balance is below the time
/// balance (%).
const std::vector<std::string>& table_figures();
/// A file of studies/ as it travels in the program.
struct PublishedText {
  const char* file;
  const char* text;
};
const std::vector<PublishedText>& published_studies();
/// Errors name file and line.
Result<PublishedStudy> parse_study(const std::string& text, const std::string& name);

}  // namespace flyball
