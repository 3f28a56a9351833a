#include "profile/trials/chosen_modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "problem/paper.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Any space; a trial takes as many ms as the row's number, and so says which row it was.
class RowProfiler final : public Profiler {
 public:
  RowProfiler(std::vector<Axis> axes, size_t usual, bool live)
      : space_(Space::grid(std::move(axes))), usual_(usual) {
    info_.live = live;
  }
  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return usual_; }
  std::string default_reason() const override { return "usual"; }
  Result<Measurement> measure(size_t config) override {
    Measurement m;
    m.minibatch_ms = static_cast<double>(config);
    if (listener_) listener_(config, {});
    return m;
  }
  void on_sample(TrialListener listener) override { listener_ = std::move(listener); }

 private:
  ProfilerInfo info_;
  Space space_;
  size_t usual_;
  TrialListener listener_;
};

std::unique_ptr<Profiler> board(bool live, size_t usual = 0) {
  return std::make_unique<RowProfiler>(
      std::vector<Axis>{
          named_axis(axis::cpu_cores, {2, 4}), named_axis(axis::cpu_mhz, {400, 800, 1200}),
          named_axis(axis::gpu_mhz, {300, 600}), named_axis(axis::batch_size, {1, 4})},
      usual, live);
}

std::set<Settings> modes_of(const Profiler& profiler) {
  std::set<Settings> modes;
  for (size_t i = 0; i < profiler.space().size(); ++i)
    modes.insert(profiler.space().trial(i, "", Phase::train).mode.values);
  return modes;
}

TEST(ChosenModes, AreAllOrThePapersOrANumber) {
  EXPECT_EQ(parse_mode_choice("all", 3)->kind, ModeChoice::Kind::all);
  EXPECT_EQ(parse_mode_choice("paper", 3)->kind, ModeChoice::Kind::paper);
  EXPECT_EQ(parse_mode_choice("50", 3)->count, 50u);
  EXPECT_EQ(parse_mode_choice("50", 3)->seed, 3u);
  for (const char* bad : {"", "0", "-1", "1.5", "papers", "1e99"})
    EXPECT_THAT(parse_mode_choice(bad, 1).error().hint, HasSubstr("how many to draw")) << bad;
}

TEST(ChosenModes, ADrawKeepsTheDefaultAndAllRunSettings) {
  const size_t usual = 23;  // the highest mode, batch 4
  const auto drawn = with_modes(board(true, usual), *parse_mode_choice("5", 7));
  ASSERT_TRUE(drawn.ok());
  EXPECT_EQ(modes_of(**drawn).size(), 5u);
  EXPECT_EQ((*drawn)->space().size(), 10u);
  EXPECT_EQ((*drawn)->info().modes->kept, 5u);
  EXPECT_EQ((*drawn)->info().modes->of, 12u);
  EXPECT_EQ((*drawn)->info().modes->seed, 7u);
  EXPECT_EQ((*drawn)->measure((*drawn)->default_config())->minibatch_ms, 23);
  // Equal seeds draw equal modes, in another role, too; others draw others.
  EXPECT_EQ(modes_of(**with_modes(board(true, 22), *parse_mode_choice("5", 7))), modes_of(**drawn));
  EXPECT_NE(modes_of(**with_modes(board(true, usual), *parse_mode_choice("5", 8))),
            modes_of(**drawn));
  EXPECT_THAT(with_modes(board(true), *parse_mode_choice("13", 1)).error().message,
              HasSubstr("there are 12 modes"));
}

TEST(ChosenModes, ALiveBoardIsVisitedFromTheHighestClocks) {
  const auto all = with_modes(board(true, 3), {});
  ASSERT_TRUE(all.ok());
  const Space& space = (*all)->space();
  ASSERT_EQ(space.size(), 24u);
  EXPECT_THAT(space.row(0), ElementsAre(4, 1200, 600, 1));
  EXPECT_THAT(space.row(1), ElementsAre(4, 1200, 600, 4));
  EXPECT_THAT(space.row(2), ElementsAre(2, 1200, 600, 1));  // cores come on without a reboot
  EXPECT_THAT(space.row(23), ElementsAre(2, 400, 300, 4));
  EXPECT_EQ((*all)->info().modes->asked, "all");
  EXPECT_FALSE((*all)->info().modes->seed);
  // Rows, default and samples are those of the board itself.
  std::vector<size_t> heard;
  (*all)->on_sample([&](size_t config, const TrialSample&) { heard.push_back(config); });
  EXPECT_EQ((*all)->measure((*all)->default_config())->minibatch_ms, 3);
  EXPECT_THAT(heard, ElementsAre((*all)->default_config()));
  // A table stays in its order.
  EXPECT_THAT((*with_modes(board(false), {}))->space().row(0), ElementsAre(2, 400, 300, 1));
}

TEST(ChosenModes, ThePapersGridIsTakenAsTheBoardListsIt) {
  const auto jp6 = std::make_unique<RowProfiler>(
      std::vector<Axis>{named_axis(axis::cpu_cores, {2, 4, 8, 12}),
                        named_axis(axis::cpu_mhz, {422.4, 500, 729.6, 2201.6}),
                        named_axis(axis::gpu_mhz, {306, 408, 510, 1300.5}),
                        named_axis(axis::mem_mhz, {204, 665.6, 2133, 3199})},
      0, true);
  const auto near = near_paper_modes(jp6->space());
  ASSERT_TRUE(near.ok());
  EXPECT_EQ(near->rows.size(), 3u * 3 * 3 * 3);
  EXPECT_THAT(near->notes, testing::Contains("gpu_mhz 318.75 of the papers' grid is tried as 306"));
  EXPECT_THAT(near->notes,
              testing::Contains("gpu_mhz 726.75 of the papers' grid is not listed here"));
  EXPECT_FALSE(near_paper_modes(Space::grid({named_axis(axis::cpu_cores, {1, 2})})).ok());
  EXPECT_FALSE(near_paper_modes(Space::grid({named_axis(axis::batch_size, {4, 8})})).ok());
  const auto kept = with_modes(board(true, 0), *parse_mode_choice("paper", 1));
  EXPECT_FALSE(kept.ok());  // 400 and 800 MHz are none of the grid's
}

TEST(ChosenModes, NearTheGridIsTheGridWhereItIsListed) {
  const Space space = Space::grid(
      {named_axis(axis::cpu_cores, {4, 6, 8, 12}),
       named_axis(axis::cpu_mhz, {422.4, 729.6, 1036.8, 1344, 1651.2, 1958.4, 2201.6}),
       named_axis(axis::gpu_mhz, {114.75, 318.75, 522.75, 726.75, 930.75, 1134.75, 1300.5}),
       named_axis(axis::mem_mhz, {204, 665.6, 2133, 3199})});
  const auto near = near_paper_modes(space);
  const auto exact = paper_modes(space);
  ASSERT_TRUE(near.ok() && exact.ok());
  EXPECT_EQ(near->rows.size(), 441u);
  EXPECT_TRUE(near->notes.empty());
  EXPECT_TRUE(std::ranges::equal(space.subset(near->rows).values(), exact->values()));
}

TEST(ChosenModes, ATableAndItsProfilerKeepTheSameRows) {
  WorkloadTable table;
  table.space = Space({named_axis(axis::cpu_mhz), named_axis(axis::batch_size)});
  for (const double mhz : {400, 800, 1200})
    for (const double batch : {1, 4}) table.add(std::vector{mhz, batch}, 10, 5);
  const auto all = table_trials(table, {}, {});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->table.size(), 6u);
  EXPECT_FALSE(all->profiler->info().modes);
  const std::vector<AxisChoice> fours = {{axis::batch_size, {4}, {}}};
  const ModeChoice two{ModeChoice::Kind::sample, 2, 7};
  const auto some = table_trials(table, fours, two);
  ASSERT_TRUE(some.ok()) << some.error().message;
  EXPECT_EQ(some->table.size(), 2u);
  EXPECT_EQ(some->profiler->space().size(), 2u);
  for (size_t row = 0; row < some->table.size(); ++row)
    EXPECT_TRUE(some->profiler->space().find(some->table.space.row(row)));
  EXPECT_FALSE(table_trials(table, fours, {ModeChoice::Kind::sample, 4, 7}).ok());
}

}  // namespace
}  // namespace flyball
