#include "workload/detection/detections.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace flyball {
namespace {

// Boxes and scores as a detector answers them: 4 × anchors, classes × anchors.
struct Answers {
  Answers(const std::vector<Corners>& corners, const std::vector<std::vector<float>>& of_classes) {
    for (const auto side : {&Corners::left, &Corners::top, &Corners::right, &Corners::bottom})
      for (const Corners& box : corners) boxes.push_back(box.*side);
    for (const auto& row : of_classes) scores.insert(scores.end(), row.begin(), row.end());
  }
  std::vector<float> boxes, scores;
};

TEST(Suppress, KeepsTheSurestOfThoseThatOverlap) {
  // The second overlaps the first by 81 of 119, the third by 90 of 110, the fourth not at all.
  const Answers answers({{0, 0, 10, 10}, {1, 1, 11, 11}, {0, 0, 10, 9}, {50, 50, 60, 60}},
                        {{0.6f, 0.7f, 0.9f, 0.2f}, {0.1f, 0.1f, 0.1f, 0.1f}});
  const auto kept = suppress(answers.boxes, answers.scores, {.score = 0.15f, .overlap = 0.7});
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].score, 0.9f);
  EXPECT_EQ(kept[0].box.bottom, 9);
  EXPECT_EQ(kept[1].score, 0.7f);
  EXPECT_EQ(kept[2].score, 0.2f);
  EXPECT_EQ(suppress(answers.boxes, answers.scores, {.overlap = 0.5}).size(), 2u);
  EXPECT_EQ(suppress(answers.boxes, answers.scores, {.score = 0.5f, .overlap = 0.5}).size(), 1u);
  EXPECT_EQ(suppress(answers.boxes, answers.scores, {.most = 1}).size(), 1u);
}

TEST(Suppress, ClassesDoNotHideEachOther) {
  const Answers answers({{0, 0, 10, 10}, {0, 0, 10, 10}}, {{0.8f, 0.1f}, {0.2f, 0.6f}});
  const auto kept = suppress(answers.boxes, answers.scores);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].label, 0);
  EXPECT_EQ(kept[1].label, 1);
  EXPECT_TRUE(suppress({}, {}).empty());
}

constexpr Corners kHere{0, 0, 10, 10}, kThere{50, 50, 60, 60}, kElse{80, 80, 90, 90};

// One of 81 of 119 pixels with kHere.
constexpr Corners kNearHere{1, 1, 11, 11};

TEST(MeanAveragePrecision, OfAPerfectAndAnEmptyAnswer) {
  const std::vector<TrueBox> wanted = {{kHere, 0}, {kThere, 3}};
  const std::array perfect = {Judged{{{kHere, 0, 0.9f}, {kThere, 3, 0.3f}}, wanted}};
  EXPECT_DOUBLE_EQ(mean_average_precision(perfect), 1);
  const std::array nothing = {Judged{{}, wanted}};
  EXPECT_DOUBLE_EQ(mean_average_precision(nothing), 0);
  const std::array half = {Judged{{{kHere, 0, 0.9f}}, wanted}};
  EXPECT_DOUBLE_EQ(mean_average_precision(half), 0.5);  // of two classes one
  EXPECT_TRUE(std::isnan(mean_average_precision({})));
}

// Right, wrong, right: precision 1 up to a recall of 0.5 (51 of 101 steps), 2/3 beyond.
TEST(MeanAveragePrecision, ByHand) {
  const std::array judged = {
      Judged{{{kHere, 0, 0.9f}, {kElse, 0, 0.8f}, {kThere, 0, 0.7f}}, {{kHere, 0}, {kThere, 0}}}};
  EXPECT_NEAR(mean_average_precision(judged), (51 + 50 * 2.0 / 3) / 101, 1e-12);
  // The wrong one first: 1/2 and then 2/3, which is the best at every recall.
  const std::array wrong_first = {
      Judged{{{kHere, 0, 0.8f}, {kElse, 0, 0.9f}, {kThere, 0, 0.7f}}, {{kHere, 0}, {kThere, 0}}}};
  EXPECT_NEAR(mean_average_precision(wrong_first), 2.0 / 3, 1e-12);
}

TEST(MeanAveragePrecision, ABoxIsFoundOnce) {
  const std::array judged = {Judged{{{kHere, 0, 0.9f}, {kNearHere, 0, 0.8f}, {kThere, 0, 0.7f}},
                                    {{kHere, 0}, {kThere, 0}}}};
  EXPECT_NEAR(mean_average_precision(judged), (51 + 50 * 2.0 / 3) / 101, 1e-12);
}

TEST(MeanAveragePrecision, AsksForOverlapClassAndPicture) {
  const auto of = [](const Detection& found, double overlap) {
    const std::array judged = {Judged{{found}, {{kHere, 0}}}};
    return mean_average_precision(judged, overlap);
  };
  EXPECT_DOUBLE_EQ(of({kNearHere, 0, 0.5f}, 0.5), 1);
  EXPECT_DOUBLE_EQ(of({kNearHere, 0, 0.5f}, 81.0 / 119), 1);
  EXPECT_DOUBLE_EQ(of({kNearHere, 0, 0.5f}, 0.69), 0);
  EXPECT_DOUBLE_EQ(of({kHere, 1, 0.5f}, 0.5), 0);
  const std::array elsewhere = {Judged{{{kHere, 0, 0.9f}}, {}}, Judged{{}, {{kHere, 0}}}};
  EXPECT_DOUBLE_EQ(mean_average_precision(elsewhere), 0);
}

}  // namespace
}  // namespace flyball
