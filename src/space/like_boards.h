// How much boards differ that ran the same configurations: how far their times and energies spread,
// and which boards are far from the middle one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace flyball {

/// What a minibatch took on one board.
struct MinibatchOf {
  size_t board = 0;
  double ms = 0, joules = 0;  ///< joules 0: not known
};

/// Coefficient of variation between boards (standard deviation / mean, a fraction): its median over
/// configurations, and the largest.
struct BoardVariationRange {
  double median = 0, most = 0;
};

/// A board far from the middle one: its median over configurations.
struct FarBoard {
  size_t board = 0;
  double time_pct = 0, energy_pct = 0;  ///< above the middle board; 0 where it is not known
};

/// Keeps a number or two of each configuration, and up to 64 of each board.
class LikeBoards {
 public:
  /// One configuration, each board once; of a single board there is nothing to compare.
  void add(std::span<const MinibatchOf> boards);
  size_t configurations() const { return time_cv_.size(); }
  size_t most_boards() const { return most_boards_; }  ///< of one configuration
  std::optional<BoardVariationRange> time() const;
  std::optional<BoardVariationRange> energy() const;
  /// Further from the middle than 2 % and than 3.5 standard deviations, which the median distance
  /// estimates. None of fewer than five boards.
  std::vector<FarBoard> far_boards() const;

 private:
  /// Every value, until there are 64; then every second one, and so on.
  struct Thinned {
    std::vector<float> kept;
    size_t seen = 0, step = 1;
    void add(double value);
  };
  using ByBoard = std::map<size_t, Thinned>;

  static std::optional<BoardVariationRange> range(std::span<const double> cv);
  static std::map<size_t, double> percents(const ByBoard& ratios);

  std::vector<double> time_cv_, energy_cv_;
  size_t most_boards_ = 0;
  ByBoard time_ratios_, energy_ratios_;  ///< to the middle board of each configuration
};

}  // namespace flyball
