#include "space/pareto.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Pareto, OfKnownPoints) {
  const std::vector<double> cost = {3, 1, 2, 2, 4, NAN, 0.5};
  const std::vector<double> time = {1, 5, 3, 4, 1, 0.1, NAN};
  EXPECT_THAT(pareto_front(cost, time), ElementsAre(1, 2, 0));
  EXPECT_THAT(pareto_front({}, {}), IsEmpty());
}

TEST(Pareto, EqualPointsCountOnce) {
  const std::vector<double> cost = {2, 2, 1, 1}, time = {1, 1, 3, 3};
  EXPECT_THAT(pareto_front(cost, time), ElementsAre(2, 0));
}

bool dominates(double cost_a, double time_a, double cost_b, double time_b) {
  return cost_a <= cost_b && time_a <= time_b && (cost_a < cost_b || time_a < time_b);
}

// On a coarse grid, so that ties in one or both figures are common.
TEST(Pareto, NothingOnTheFrontIsDominatedAndNothingElseBelongsThere) {
  Random random(8);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t n = 1 + random.below(60);
    std::vector<double> cost(n), time(n);
    for (size_t i = 0; i < n; ++i) {
      cost[i] = random.below(20) == 0 ? NAN : static_cast<double>(random.below(15));
      time[i] = random.below(20) == 0 ? NAN : static_cast<double>(random.below(15));
    }
    const std::vector<size_t> front = pareto_front(cost, time);
    std::vector<bool> on_front(n, false);
    for (size_t i = 0; i < front.size(); ++i) {
      on_front[front[i]] = true;
      if (i == 0) continue;
      EXPECT_LT(cost[front[i - 1]], cost[front[i]]);
      EXPECT_GT(time[front[i - 1]], time[front[i]]);
    }
    for (size_t i = 0; i < n; ++i) {
      if (std::isnan(cost[i]) || std::isnan(time[i])) {
        EXPECT_FALSE(on_front[i]);
        continue;
      }
      bool beaten = false, twin_on_front = false;
      for (size_t j = 0; j < n; ++j) {
        beaten = beaten || dominates(cost[j], time[j], cost[i], time[i]);
        twin_on_front = twin_on_front || (on_front[j] && cost[j] == cost[i] && time[j] == time[i]);
      }
      EXPECT_NE(beaten, twin_on_front) << "a point is beaten, or stands on the front once";
    }
  }
}

}  // namespace
}  // namespace flyball
