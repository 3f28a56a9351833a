#include "space/space.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/random.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Space small_grid() {
  return Space::grid({named_axis("batch_size", {1, 16}), named_axis("cpu_cores", {4}),
                      named_axis("cpu_mhz", {100, 200, 300})});
}

TEST(Space, AGridHoldsEveryCombinationOnce) {
  const Space space = small_grid();
  EXPECT_EQ(space.size(), 6u);
  EXPECT_EQ(space.dimensions(), 3u);
  EXPECT_THAT(space.row(0), ElementsAre(1, 4, 100));
  EXPECT_THAT(space.row(1), ElementsAre(1, 4, 200)) << "the last axis is the fastest";
  EXPECT_THAT(space.row(5), ElementsAre(16, 4, 300));
  for (size_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.find(space.row(i)), i);
  EXPECT_EQ(space.find(std::vector<double>{1, 4, 150}), std::nullopt);
  EXPECT_EQ(space.find(std::vector<double>{1, 4}), std::nullopt);
}

TEST(Space, AGridOverNothingIsEmpty) {
  EXPECT_TRUE(Space::grid({}).empty());
  EXPECT_TRUE(Space::grid({named_axis("cpu_mhz", {1}), named_axis("gpu_mhz")}).empty());
  EXPECT_EQ(Space().size(), 0u);
  EXPECT_EQ(Space().find({}), std::nullopt);
}

TEST(Space, CollectsTheValuesOfItsAxes) {
  Space space({named_axis("cpu_mhz"), named_axis("gpu_mhz")});
  EXPECT_EQ(space.add(std::vector<double>{300, 1}), 0u);
  EXPECT_EQ(space.find(std::vector<double>{300, 1}), 0u);
  EXPECT_EQ(space.add(std::vector<double>{100, 1}), 1u);
  EXPECT_EQ(space.add(std::vector<double>{300, 1}), 2u);
  EXPECT_THAT(space.axes()[0].values, ElementsAre(100, 300));
  EXPECT_THAT(space.axes()[1].values, ElementsAre(1));
  EXPECT_EQ(space.find(std::vector<double>{100, 1}), 1u) << "what was added later is found";
  EXPECT_EQ(space.find(std::vector<double>{300, 1}), 0u) << "of repeats, the first";
}

TEST(Space, FindsWhatALinearSearchFinds) {
  Random random(4);
  Space space({named_axis("a"), named_axis("b")});
  const auto row = [&] {
    return std::vector<double>{static_cast<double>(random.below(12)),
                               static_cast<double>(random.below(12))};
  };
  for (int i = 0; i < 80; ++i) space.add(row());
  for (int i = 0; i < 300; ++i) {
    const std::vector<double> wanted = row();
    std::optional<size_t> expected;
    for (size_t j = space.size(); j-- > 0;)
      if (std::ranges::equal(space.row(j), wanted)) expected = j;
    EXPECT_EQ(space.find(wanted), expected);
  }
}

TEST(Space, MayBeAskedByManyThreadsAtOnce) {
  const Space space = small_grid();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&space] {
      for (size_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.find(space.row(i)), i);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Space, ACopyStandsOnItsOwn) {
  Space space = small_grid();
  ASSERT_EQ(space.find(space.row(2)), 2u);
  Space copy = space;
  copy.add(std::vector<double>{2, 4, 100});
  EXPECT_EQ(copy.find(std::vector<double>{2, 4, 100}), 6u);
  EXPECT_EQ(space.find(std::vector<double>{2, 4, 100}), std::nullopt);
  const std::vector<double> added = {2, 4, 100};
  space = copy;
  EXPECT_EQ(space.find(added), 6u);
  const Space moved = std::move(copy);
  EXPECT_EQ(moved.find(added), 6u);
}

TEST(Space, TurnsRowsIntoSettingsAndBack) {
  const Space space = small_grid();
  const Settings settings = space.settings(4);
  EXPECT_EQ(space.to_row(settings).value(),
            std::vector<double>(space.row(4).begin(), space.row(4).end()));
  EXPECT_THAT(space.to_row({{"cpu_mhz", 1}}).error().message, HasSubstr("batch_size"));
  const Trial trial = space.trial(4, "lenet5", Phase::infer);
  EXPECT_EQ(trial.job.settings, (Settings{{"batch_size", 16}}));
  EXPECT_EQ(trial.mode.values, (Settings{{"cpu_cores", 4}, {"cpu_mhz", 200}}));
  EXPECT_EQ(trial.job.workload, "lenet5");
}

TEST(Space, ASubsetKeepsTheOrderAskedFor) {
  const std::vector<size_t> indices = {5, 0};
  const Space some = small_grid().subset(indices);
  EXPECT_EQ(some.size(), 2u);
  EXPECT_THAT(some.row(0), ElementsAre(16, 4, 300));
  EXPECT_THAT(some.axes()[2].values, ElementsAre(100, 300));
}

}  // namespace
}  // namespace flyball
