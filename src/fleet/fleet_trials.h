// What equal trials of many boards say: how much boards differ, and which modes are best.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "fleet/collected_fleet.h"
#include "fleet/trial_groups.h"
#include "space/like_boards.h"

namespace flyball {

/// Boards that are compared: a kind in one software.
struct FleetMake {
  std::string kind, software;
  auto operator<=>(const FleetMake&) const = default;
};

/// What runs in a trial.
struct FleetJob {
  std::string workload, phase, settings;
};

/// Ratio of a board's figures to the mean of all boards, over trials that others made, too.
struct FleetRatio {
  size_t trials = 0, powers = 0;
  double time = 0, power = 0;  ///< sums
};

class FleetTrials {
 public:
  FleetTrials(std::map<int64_t, FleetMake> makes, std::map<int64_t, FleetJob> jobs,
              std::vector<double> budgets_w)
      : makes_(std::move(makes)), jobs_(std::move(jobs)), budgets_w_(std::move(budgets_w)) {}

  void take(const TrialGroup& group);
  const std::map<int64_t, FleetRatio>& ratios() const { return ratios_; }  ///< by place
  std::vector<CollectedSpread> spread(
      const std::function<std::string(const BoardRow&)>& name) const;
  std::vector<CollectedMode> best() const;
  /// Places that a spread names as outliers.
  std::vector<int64_t> outliers() const;

 private:
  using Group = std::tuple<std::string, std::string, std::string, std::string>;
  using Choice = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  struct Found {
    CollectedMode mode;
    double sample_ms = 0;
  };

  void take_make(const TrialGroup& group, const FleetMake& make,
                 const std::vector<const TrialBoard*>& boards);
  void take_ratios(const std::vector<const TrialBoard*>& boards, double ms, double power_w);
  void take_mode(Found found);
  size_t number_of(const TrialBoard& board);

  std::map<int64_t, FleetMake> makes_;
  std::map<int64_t, FleetJob> jobs_;
  std::vector<double> budgets_w_;
  std::map<BoardRow, size_t> numbers_;
  std::vector<BoardRow> members_;
  std::map<Group, LikeBoards> comparisons_;
  std::map<int64_t, FleetRatio> ratios_;
  std::map<Choice, std::vector<std::optional<Found>>> best_;
};

}  // namespace flyball
