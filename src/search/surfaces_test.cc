#include "search/surfaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "search/surface_testing.h"

namespace flyball {
namespace {

namespace surface = testing_surface;

/// Tells of modes of 100 to 400 MHz on ten surfaces what it is given; of power 10 W.
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
        draws.log_ms.push_back(
            static_cast<float>(std::log(ms_[static_cast<size_t>(rows.row(i)[0]) / 100 - 1][s])));
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

/// Time by the axes of a space, the same on every surface; of a training beside a service, or 2,000
/// ms by the GPU's clock.
class ToldByAxes : public surface::NearestPredictor {
 public:
  using Time = double (*)(const Space&, size_t row);
  explicit ToldByAxes(Time time) : time_(time) {}
  Status fit(const WorkloadTable&, std::span<const WorkloadTable>, const FitOptions&) override {
    return {};
  }
  Result<Prediction> predict(const Space& rows) const override {
    Prediction told;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double ms = time_(rows, i);
      told.minibatch_ms.mean.push_back(ms);
      told.minibatch_ms.lo90.push_back(ms * 0.999999);
      told.minibatch_ms.hi90.push_back(ms * 1.000001);
      told.extrapolated.push_back(false);
    }
    return told;
  }
  Result<Draws> draw(const Space& rows, size_t count, uint64_t) const override {
    Draws draws{count, {}, {}};
    for (size_t i = 0; i < rows.size(); ++i)
      draws.log_ms.insert(draws.log_ms.end(), count, static_cast<float>(std::log(time_(rows, i))));
    return draws;
  }

 private:
  Time time_;
};

SearchOptions by_axes(ToldByAxes::Time time) {
  SearchOptions options;
  options.make_predictor = [time] { return std::make_unique<ToldByAxes>(time); };
  return options;
}
SearchOptions told_of_both() {
  return by_axes([](const Space& rows, size_t i) {
    const auto batch = rows.axis_index("batch_size");
    return surface::time_ms(rows.row(i)) * (batch ? 0.2 + 0.05 * rows.row(i)[*batch] : 1);
  });
}
SearchOptions told_by_clocks() {
  return by_axes([](const Space& rows, size_t i) { return 2000 / rows.row(i)[1]; });
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
  for (double loss : outcomes->losses(2)) EXPECT_EQ(loss, 50);  // not to a float's digits
  EXPECT_EQ(outcomes->least()[7], 50);
}

TEST(Surfaces, WhatFailedIsNoChoice) {
  History history(four_modes());
  history.record(0, 1, {}, "out of memory");
  const auto outcomes =
      SurfaceOutcomes::draw(history, with({all(50), all(10), all(60), all(70)}), 10);
  ASSERT_TRUE(outcomes.ok());
  EXPECT_EQ(outcomes->choices(), 3u);
  EXPECT_NEAR(outcomes->least()[0], 50, 1e-4);
}

// Half the training is worth a half, none nothing.
TEST(Surfaces, OfTrainingBesideAServiceWorthIsItsShare) {
  const auto problem = surface::beside_serving(unlimited, 60, 800);
  const History history(problem);
  const auto outcomes = SurfaceOutcomes::draw(history, told_of_both(), 10);
  ASSERT_TRUE(outcomes.ok());
  const double best = outcomes->least()[0];
  ASSERT_LT(best, 0);
  bool any_none = false;
  for (size_t i = 0; i < outcomes->choices(); ++i) {
    const double loss = outcomes->losses(i)[0];
    if (loss == unlimited) continue;
    any_none = any_none || loss == 0;
    const auto alone = most_promising(
        *outcomes, [&](auto choice) { return std::ranges::equal(choice, outcomes->choice(i)); });
    EXPECT_EQ(alone.has_value(), loss < 0);
    if (alone) {
      EXPECT_NEAR(alone->worth, loss / best, 1e-6);
    }
  }
  EXPECT_TRUE(any_none);
}

// 32,016 modes without a budget: the optimum must be among those that are looked at.
TEST(Surfaces, OfManyChoicesThoseThatMayGainAreLookedAt) {
  auto problem = std::make_shared<Problem>();
  std::vector<double> gpu, cpu;
  for (int i = 1; i <= 160; ++i) gpu.push_back(i), cpu.push_back(i);
  problem->candidates = std::make_shared<Candidates>(
      *Candidates::link({Space::grid({named_axis("cpu_mhz", cpu), named_axis("gpu_mhz", gpu)})}));
  problem->roles = {{"net", Phase::train, 0, unlimited}};
  History history(problem);
  history.record(0, 0, {2000, 5}, "");
  history.record(0, 160 * 80 + 80, {25, 10}, "");
  const SearchOptions options = told_by_clocks();
  const auto outcomes = SurfaceOutcomes::draw(history, options, 10);
  ASSERT_TRUE(outcomes.ok());
  EXPECT_EQ(outcomes->choices(), 4096u);
  EXPECT_NEAR(outcomes->least()[0], 2000.0 / 160, 0.01);
  EXPECT_NEAR(possible_gap(*outcomes, 25), 0.5, 0.01);
}

TEST(Surfaces, TheGapIsWhatNineInTenOfThemLeave) {
  const std::array<double, 10> lucky = {10, 45, 60, 60, 60, 60, 60, 60, 60, 60};
  const History history(four_modes());
  const auto outcomes =
      SurfaceOutcomes::draw(history, with({lucky, all(300), all(300), all(300)}), 10);
  ASSERT_TRUE(outcomes.ok());
  const double gap = possible_gap(*outcomes, 50);
  EXPECT_NEAR(gap, 0.1, 1e-6);  // 50 to 45; not the luckiest one, 50 to 10
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
