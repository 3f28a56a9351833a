// Which board? Boards beside each other: figures, ratios in words, what was published and measured
// of them, and the choice within limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "compare/board_choice.h"
#include "compare/compared_board.h"
#include "compare/measured_minibatches.h"
#include "compare/prices.h"
#include "compare/published_epochs.h"
#include "compare/ratio.h"

namespace flyball {

/// One board against the baseline.
struct BoardRatios {
  std::optional<Ratio> speed, energy;        ///< of our figures; energy ÷ energy of the baseline
  std::optional<Ratio> published, measured;  ///< speed by what was published, or measured
  std::string energy_text;                   ///< `energy` in words, and whose totals it divides
  std::string text;                          ///< all of it in one sentence
};

struct BoardComparison {
  BoardsQuestion question;
  std::vector<ComparedBoard> boards;
  std::vector<std::string> names;  ///< of the boards, each once: "orin_agx", "orin_agx (table)"
  size_t baseline = 0;
  PriceList prices;
  PublishedEpochs published;
  std::string measured_file;  ///< "": none was named
  std::vector<MeasuredMinibatch> measured;
  BoardLimits limits;
  BoardObjective objective = BoardObjective::time;
  bool chooses = false;  ///< was a limit or an objective given?

  // Made by compare_boards().
  std::vector<BoardRatios> ratios;  ///< of each board; of the baseline itself without any
  std::optional<BoardChoice> choice;
  std::optional<Error> infeasible;  ///< why there is no choice
  std::vector<std::string> notes;

  /// Is it so of any network on any board? `is(board, network)`, by number.
  template <class Is>
  bool any(Is is) const {
    for (size_t board = 0; board < boards.size(); ++board)
      for (size_t network = 0; network < question.networks.size(); ++network)
        if (is(board, network)) return true;
    return false;
  }
  /// Is the published epoch of this network as long as ours?
  bool same_epoch(size_t network) const;
  /// Null where nothing was published at these settings.
  const PublishedEpoch* published_epoch(size_t board, size_t network) const;
  /// Ours over the published one − 1, percent; NaN where the epochs are not of one length.
  double published_difference_pct(size_t board, size_t network) const;
  /// Null where nobody measured it at these settings.
  const MeasuredMinibatch* measured_minibatch(size_t board, size_t network) const;
  double measured_difference_pct(size_t board, size_t network) const;
  /// "objective time, epoch ≤ 1800 s".
  std::string asked() const;
  /// "Jetson AGX Orin (simulated): 2 min 57 s an epoch (…), the lowest time of the 2 boards that
  /// qualify"; "" without a choice.
  std::string choice_text() const;
};

/// What boards are called that are compared.
std::vector<std::string> names_of(std::span<const ComparedBoard> boards);

/// Ratios, choice and notes of what the comparison was given. Errors: those of choose_board().
Status compare_boards(BoardComparison& comparison);

Json to_json(const BoardComparison& comparison);

}  // namespace flyball
