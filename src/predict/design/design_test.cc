#include "predict/design/design.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/statistics.h"
#include "predict/gp/gp.h"
#include "predict/known_board_testing.h"
#include "space/ranked_space.h"

namespace flyball {
namespace {

Space grid() {
  return Space::grid({named_axis("cpu_cores", {2, 4, 6, 8, 10, 12}),
                      named_axis("gpu_mhz", {100, 200, 400, 800, 1300}),
                      named_axis("mem_mhz", {204, 3199}), named_axis("batch_size", {16})});
}

std::vector<size_t> choose(const std::string& design, size_t count, uint64_t seed) {
  const Space space = grid();
  DesignRequest request;
  request.space = &space;
  request.count = count;
  request.seed = seed;
  const auto chosen = choose_configurations(design, request);
  EXPECT_TRUE(chosen.ok());
  return chosen.ok() ? *chosen : std::vector<size_t>{};
}

TEST(Design, EveryOneChoosesDistinctConfigurationsBySeed) {
  for (const DesignEntry& entry : designs()) {
    for (size_t count : {1, 10, 60}) {
      const auto chosen = choose(entry.name, count, 3);
      EXPECT_EQ(chosen.size(), count) << entry.name;
      EXPECT_EQ(std::set<size_t>(chosen.begin(), chosen.end()).size(), count) << entry.name;
      EXPECT_LT(*std::ranges::max_element(chosen), 60u) << entry.name;
      EXPECT_EQ(chosen, choose(entry.name, count, 3)) << entry.name;
    }
    EXPECT_NE(choose(entry.name, 10, 3), choose(entry.name, 10, 4)) << entry.name;
  }
}

double least_distance(const std::vector<size_t>& chosen) {
  const RankedSpace ranks = rank_axes(grid());
  double least = 1e9;
  for (size_t i = 0; i < chosen.size(); ++i)
    for (size_t j = 0; j < i; ++j) least = std::min(least, ranks.distance(chosen[i], chosen[j]));
  return least;
}

TEST(Design, MaximinKeepsFartherApartThanChance) {
  for (uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_GT(least_distance(choose("maximin", 8, seed)),
              least_distance(choose("random", 8, seed)));
}

TEST(Design, LatinHypercubeMeetsEverySliceOfEveryAxis) {
  const Space space = grid();
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    std::set<double> cores, clocks;
    for (size_t config : choose("lhs", 30, seed)) {
      cores.insert(space.row(config)[0]);
      clocks.insert(space.row(config)[1]);
    }
    EXPECT_EQ(cores.size(), 6u);
    EXPECT_EQ(clocks.size(), 5u);
  }
}

TEST(Design, NamesWhatIsWrong) {
  const Space space = grid();
  DesignRequest request;
  request.space = &space;
  EXPECT_FALSE(choose_configurations("random", request).ok());
  request.count = 61;
  EXPECT_NE(choose_configurations("maximin", request).error().message.find("61"),
            std::string::npos);
  EXPECT_NE(choose_configurations("magic", request).error().hint.find("maximin"),
            std::string::npos);
}

// What a process with the priors of `gp` leaves open is what `informed` makes small: a reading at
// each end of the clocks says more than ten in the middle.
TEST(Design, InformedLeavesLessErrorThanChance) {
  const WorkloadTable truth = testing_board::table({}, 0.01, 1);
  const auto error = [&](const std::string& design, uint64_t seed) {
    DesignRequest request;
    request.space = &truth.space;
    request.count = 8;
    request.seed = seed;
    const auto gp = make_gp();
    EXPECT_TRUE(gp->fit(take_rows(truth, *choose_configurations(design, request)), {}, {}).ok());
    const auto prediction = gp->predict(truth.space);
    return mape(prediction->minibatch_ms.mean, truth.minibatch_ms) +
           mape(prediction->power_w.mean, truth.power_w);
  };
  std::vector<double> informed, random;
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    informed.push_back(error("informed", seed));
    random.push_back(error("random", seed));
  }
  EXPECT_LT(median(informed), 0.9 * median(random));
}

TEST(Design, InformedTakesReferencesAndAxesItDoesNotKnow) {
  const WorkloadTable truth = testing_board::table({}, 0.01, 1);
  DesignRequest request;
  request.space = &truth.space;
  request.count = 12;
  request.references = std::span(&truth, 1);
  request.device = truth.device;
  EXPECT_EQ(choose_configurations("informed", request)->size(), 12u);
  const Space odd = Space::grid({named_axis("oddity", {-2, 0, 3, 8}), named_axis("still", {1})});
  request.space = &odd;
  request.count = 4;
  EXPECT_EQ(choose_configurations("informed", request)->size(), 4u);
}

}  // namespace
}  // namespace flyball
