// The events of one workload in one configuration: storage, workers, hand-over, compute.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "twin/governor.h"
#include "twin/plan.h"

namespace flyball {

struct TwinStream::Inside {
  Inside(std::shared_ptr<const TwinBoard> board, const TwinPlan& plan, const TwinWorkload& workload,
         const TwinOptions& options);
  TwinMinibatch next();
  void leak(TwinMinibatch& minibatch, double seconds);  ///< by its temperature, which it moves
  void end_epoch();     ///< what was read stays cached as far as there is room
  double room() const;  ///< share of the set that the page cache can hold
  void expect_hits();
  void rest_until(double time_s);
  /// Clocks follow the load from now on; `plan_at` makes the plan at other ones.
  void govern(TwinGovernor by, std::function<TwinPlan(const TwinGovernor&)> plan_at);
  void follow_load(double seconds, double main_s);
  double run_s() const { return now_s - rested_s; }
  double noisy(double relative);
  double varied(double relative);

  std::shared_ptr<const TwinBoard> board;
  TwinPlan plan;
  TwinOptions options;
  Random random;
  double samples = 0, sample_bytes = 0, room_bytes = 0;  ///< of the data set; for the page cache
  bool vary_samples = true;
  double cached = 1;  ///< share of the set in the page cache
  double hits = 1;    ///< share of what this epoch asks for that is still there when it does
  double run_factor = 1, power_factor = 1;  ///< this run's
  double celsius = 25;
  double now_s = 0, storage_free_s = 0;
  double rested_s = 0;                ///< of now_s: the main process did something else
  size_t made = 0;                    ///< batches
  std::vector<double> worker_free_s;  ///< when each worker is ready for its next batch
  std::vector<double> taken_s;        ///< when each of the last `ahead` batches was taken
  double seen = 0;                    ///< samples of this epoch
  std::optional<TwinGovernor> governor;
  std::function<TwinPlan(const TwinGovernor&)> plan_at;
  std::map<std::array<double, 3>, TwinPlan> plans;  ///< by TwinGovernor::clocks()
  // Sums since the run began.
  TwinRailPower energy_j{};
  double core_s = 0, gpu_s = 0, math_s = 0, bytes = 0;
};

}  // namespace flyball
