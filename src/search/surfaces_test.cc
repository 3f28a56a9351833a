#include "search/surfaces.h"

#include <gtest/gtest.h>

#include <array>

#include "search/surface_testing.h"

namespace flyball {
namespace {

namespace surface = testing_surface;

/// Tells of four candidates on ten surfaces what it is given; of power 10 W.
class Told : public surface::NearestPredictor {
 public:
  explicit Told(std::vector<std::array<double, 10>> ms) : ms_(std::move(ms)) {}
  Status fit(const WorkloadTable&, std::span<const WorkloadTable>, const FitOptions&) override {
    return {};
  }
  Result<Draws> draw(const Space& rows, size_t count, uint64_t) const override {
    Draws draws{count, {}, std::vector<float>(rows.size() * count, std::log(10.F))};
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t s = 0; s < count; ++s)
        draws.log_ms.push_back(static_cast<float>(std::log(ms_[i][s])));
    return draws;
  }

 private:
  std::vector<std::array<double, 10>> ms_;
};

/// A training of four modes that may take 100 ms.
std::shared_ptr<const Problem> four_modes() {
  auto made = std::make_shared<Problem>();
  made->candidates = std::make_shared<Candidates>(
      *Candidates::link({Space::grid({named_axis("gpu_mhz", {100, 200, 300, 400})})}));
  made->roles = {{"net", Phase::train, 0, unlimited}};
  made->budgets.time_ms = 100;
  return made;
}

SearchOptions with(std::vector<std::array<double, 10>> ms) {
  SearchOptions options;
  options.make_predictor = [ms = std::move(ms)] { return std::make_unique<Told>(ms); };
  return options;
}

constexpr std::array<double, 10> all(double ms) {
  return {ms, ms, ms, ms, ms, ms, ms, ms, ms, ms};
}
bool any_choice(std::span<const size_t>) {
  return true;
}

TEST(Surfaces, WorthIsBeingThereAndBeingGoodThere) {
  // The first holds on six surfaces and takes twice what the second does, which holds on five.
  const std::array<double, 10> slow = {80, 80, 80, 80, 80, 80, 200, 200, 200, 200};
  const std::array<double, 10> quick = {40, 40, 40, 40, 40, 200, 200, 200, 200, 200};
  const History history(four_modes());
  const auto outcomes = SurfaceOutcomes::draw(history, with({slow, quick, all(300), all(400)}), 10);
  ASSERT_TRUE(outcomes.ok());
  const auto promise = most_promising(*outcomes, any_choice);
  ASSERT_TRUE(promise);
  EXPECT_EQ(outcomes->choice(promise->choice)[0], 1u);
  EXPECT_NEAR(promise->feasible, 0.5, 1e-9);
  EXPECT_NEAR(promise->worth, 0.5, 1e-6);
  const auto closed = most_promising(*outcomes, [](auto choice) { return choice[0] != 1; });
  ASSERT_TRUE(closed);
  EXPECT_NEAR(closed->feasible, 0.6, 1e-9);
  EXPECT_NEAR(closed->worth, 5 * 0.1 / 2 + 0.1, 1e-6);
  EXPECT_FALSE(most_promising(*outcomes, [](auto choice) { return choice[0] > 1; }));
}

TEST(Surfaces, WhatWasMeasuredIsTheSameOnAllOfThem) {
  History history(four_modes());
  history.record(0, 2, {50, 10}, "");
  const auto outcomes =
      SurfaceOutcomes::draw(history, with({all(300), all(300), all(300), all(300)}), 10);
  ASSERT_TRUE(outcomes.ok());
  for (double loss : outcomes->losses(2)) EXPECT_NEAR(loss, 50, 1e-4);
  EXPECT_NEAR(outcomes->least()[7], 50, 1e-4);
}

TEST(Surfaces, TheGapIsWhatNineInTenOfThemLeave) {
  const std::array<double, 10> lucky = {10, 45, 60, 60, 60, 60, 60, 60, 60, 60};
  const History history(four_modes());
  const auto outcomes =
      SurfaceOutcomes::draw(history, with({lucky, all(300), all(300), all(300)}), 10);
  ASSERT_TRUE(outcomes.ok());
  const double gap = possible_gap(*outcomes, 50);
  EXPECT_GE(gap, 0.1);  // 50 to 45
  EXPECT_LT(gap, 0.5);  // not the luckiest one, 50 to 10
  EXPECT_EQ(possible_gap(*outcomes, 9), 0);
}

TEST(Surfaces, FiguresHoldOnAsManyAsTheyHaveAChanceTo) {
  History history(four_modes());
  history.record(0, 0, {50, 10, -0.1}, "");
  history.record(0, 3, {50, 10, 0.2}, "");
  const auto outcomes =
      SurfaceOutcomes::draw(history, with({all(50), all(50), all(50), all(50)}), 10);
  ASSERT_TRUE(outcomes.ok());
  const auto holds = [&](size_t i) {
    return std::ranges::count_if(outcomes->losses(i), [](double l) { return l != unlimited; });
  };
  EXPECT_EQ(holds(0), 10);
  EXPECT_EQ(holds(1), 8);  // four times as near to the one that held, by square
  EXPECT_EQ(holds(2), 2);
  EXPECT_EQ(holds(3), 0);
}

}  // namespace
}  // namespace flyball
