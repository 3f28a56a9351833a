// How much boards differ that ran the same configurations: how far their times and energies spread,
// and which boards are far from the middle one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace flyball {

/// What a minibatch took on one board.
struct MinibatchOf {
  size_t board = 0;
  double ms = 0, joules = 0;  ///< joules 0: not known
};

/// A board far from the middle one: its median over configurations.
struct FarBoard {
  size_t board = 0;
  double time_pct = 0, energy_pct = 0;  ///< above the middle board; 0 where it is not known
};

/// The same by its name.
struct NamedFarBoard {
  std::string board;
  double time_pct = 0, energy_pct = 0;
};
Json to_json(const std::vector<NamedFarBoard>& boards);

/// How much boards of one kind differ.
struct BoardsSpread {
  size_t boards = 0;          ///< most of one configuration, or that were asked the same
  size_t configurations = 0;  ///< that more than one of them measured
  /// Coefficients of variation between boards (standard deviation / mean, a fraction): the median
  /// over configurations, and the largest.
  std::optional<double> time_cv{}, max_time_cv{}, energy_cv{}, max_energy_cv{};
  std::vector<NamedFarBoard> outliers{};  ///< of five boards or more
};

/// Keeps a number or two of each configuration, and up to 64 of each board.
class LikeBoards {
 public:
  /// One configuration, each board once; of a single board there is nothing to compare.
  void add(std::span<const MinibatchOf> boards);
  /// Further from the middle than 2 % and than 3.5 standard deviations, which the median distance
  /// estimates. None of fewer than five boards.
  std::vector<FarBoard> far_boards() const;
  /// All of it; `name`: of the board of a number.
  BoardsSpread spread(const std::function<std::string(size_t)>& name) const;

 private:
  /// Every value, until there are 64; then every second one, and so on.
  struct Thinned {
    std::vector<float> kept;
    size_t seen = 0, step = 1;
    void add(double value);
  };
  using ByBoard = std::map<size_t, Thinned>;

  static std::map<size_t, double> percents(const ByBoard& ratios);

  std::vector<double> time_cv_, energy_cv_;
  size_t most_boards_ = 0;
  ByBoard time_ratios_, energy_ratios_;  ///< to the middle board of each configuration
};

}  // namespace flyball
