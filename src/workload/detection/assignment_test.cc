#include "workload/detection/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

using ::testing::DoubleNear;
using ::testing::IsEmpty;

TEST(Corners, OverlapsByHand) {
  EXPECT_DOUBLE_EQ(box_iou({0, 0, 2, 2}, {1, 1, 3, 3}), 1.0 / 7);
  EXPECT_DOUBLE_EQ(box_iou({0, 0, 2, 2}, {0, 0, 2, 2}), 1);
  EXPECT_DOUBLE_EQ(box_iou({0, 0, 2, 2}, {2, 0, 4, 2}), 0);
  EXPECT_DOUBLE_EQ(box_iou({1, 1, 1, 1}, {1, 1, 1, 1}), 0);
}

TEST(Corners, CompleteIouByHand) {
  EXPECT_NEAR(complete_iou({0, 0, 2, 2}, {0, 0, 2, 2}), 1, 1e-6);
  // Same aspect: 1/7 less 2 over the squared diagonal 18.
  EXPECT_NEAR(complete_iou({0, 0, 2, 2}, {1, 1, 3, 3}), 1.0 / 7 - 1.0 / 9, 1e-6);
  // 4 × 2 and 2 × 4 in one corner: IoU 1/3, centres √2 apart in 4 × 4, angles 0.6435 apart:
  // v = 0.16783, weighed by v / (v + 2/3).
  EXPECT_NEAR(complete_iou({0, 0, 4, 2}, {0, 0, 2, 4}), 1.0 / 3 - 1.0 / 16 - 0.0337517, 1e-6);
  // Far apart it is below zero: −(8² + 8²) / (10² + 10²).
  EXPECT_NEAR(complete_iou({0, 0, 2, 2}, {8, 8, 10, 10}), -0.64, 1e-6);
}

// Outputs of one scale whose numbers are set by hand.
class Scale {
 public:
  Scale(int64_t side, double stride, int64_t classes)
      : side_(side),
        sides_(static_cast<size_t>(4 * kSideBins * side * side), 0.0f),
        classes_(static_cast<size_t>(classes * side * side), -100.0f) {
    view_.height = view_.width = side;
    view_.stride = stride;
    view_.sides = sides_.data();
    view_.classes = classes_.data();
    view_.side_channel = view_.class_channel = side * side;
    view_.side_row = view_.class_row = side;
    view_.side_cell = view_.class_cell = 1;
  }
  // Each side lies that many strides off, in whole or half ones.
  void predict(int64_t row, int64_t column, std::array<double, 4> strides) {
    for (size_t s = 0; s < 4; ++s)
      for (int k = 0; k < kSideBins; ++k) {
        const bool near = std::abs(strides[s] - k) < 0.75;
        sides_[static_cast<size_t>((static_cast<int64_t>(s) * kSideBins + k) * side_ * side_ +
                                   row * side_ + column)] = near ? 0.0f : -100.0f;
      }
  }
  void say(int64_t row, int64_t column, int64_t label, double share) {
    classes_[static_cast<size_t>(label * side_ * side_ + row * side_ + column)] =
        static_cast<float>(std::log(share / (1 - share)));
  }
  const ScaleView& view() const { return view_; }

 private:
  int64_t side_;
  std::vector<float> sides_, classes_;
  ScaleView view_;
};

// 4 × 4 cells of 8 pixels; every anchor predicts a stride to each side, and class 1 by half.
Scale plain_scale() {
  Scale scale(4, 8, 2);
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 4; ++column) {
      scale.predict(row, column, {1, 1, 1, 1});
      scale.say(row, column, 1, 0.5);
    }
  return scale;
}

std::vector<Assigned> assign(const Scale& scale, const std::vector<Corners>& boxes,
                             const std::vector<int64_t>& labels, size_t top = 10) {
  return assign_boxes({&scale.view(), 1}, boxes, labels, {.top = top});
}

TEST(Assignment, BoxesAreTheMeansOfTheirBins) {
  Scale scale(2, 8, 1);
  scale.predict(1, 0, {0.5, 1, 2, 3.5});
  const Corners box = decode_box(scale.view(), 1, 0);
  EXPECT_NEAR(box.left, 4 - 4, 1e-5);
  EXPECT_NEAR(box.top, 12 - 8, 1e-5);
  EXPECT_NEAR(box.right, 4 + 16, 1e-5);
  EXPECT_NEAR(box.bottom, 12 + 28, 1e-5);
  const Corners spread = decode_box(scale.view(), 0, 0);  // all bins alike: 7.5 strides
  EXPECT_NEAR(spread.right, 4 + 60, 1e-4);
}

// Of the four anchors inside of the box the two that agree best; all overlap alike: 144 of 368, the
// centres 32 squared pixels apart in 800.
TEST(Assignment, TheBestAnchorsInsideGetScoresByTheirAgreement) {
  Scale scale = plain_scale();
  scale.say(1, 2, 1, 0.1);
  scale.say(2, 1, 1, 0.1);
  scale.say(2, 2, 1, 0.75);
  const auto assigned = assign(scale, {{8, 8, 24, 24}}, {1}, 2);
  ASSERT_EQ(assigned.size(), 2u);
  const double overlap = 144.0 / 368 - 32.0 / 800;
  EXPECT_EQ(assigned[0].row, 1);
  EXPECT_EQ(assigned[0].column, 1);
  EXPECT_NEAR(assigned[0].score, std::sqrt(0.5 / 0.75) * overlap, 1e-5);
  EXPECT_EQ(assigned[1].row, 2);
  EXPECT_EQ(assigned[1].column, 2);
  EXPECT_NEAR(assigned[1].score, overlap, 1e-5);
}

// CIoU to the power of six: 1 against 0.3513.
TEST(Assignment, OverlapCountsByItsPower) {
  Scale scale = plain_scale();
  scale.predict(1, 1, {0.5, 0.5, 1.5, 1.5});  // 8 to 24
  const auto assigned = assign(scale, {{8, 8, 24, 24}}, {1});
  ASSERT_EQ(assigned.size(), 4u);
  EXPECT_NEAR(assigned[0].score, 1, 1e-5);
  for (size_t i = 1; i < 4; ++i)
    EXPECT_NEAR(assigned[i].score, std::pow(144.0 / 368 - 0.04, 6), 1e-6);
}

TEST(Assignment, AnAnchorThatTwoWantGoesToWhereItOverlapsMost) {
  Scale scale = plain_scale();
  scale.predict(1, 1, {1.5, 1.5, 0.5, 0.5});  // the second box exactly: 0 to 16
  const auto assigned = assign(scale, {{8, 8, 24, 24}, {0, 0, 16, 16}}, {1, 1});
  ASSERT_EQ(assigned.size(), 7u);
  for (const Assigned& each : assigned) {
    const bool shared = each.row == 1 && each.column == 1;
    const bool first = each.row >= 1 && each.column >= 1 && !shared;
    EXPECT_EQ(each.box, first ? 0 : 1) << each.row << " " << each.column;
    if (shared) {
      EXPECT_NEAR(each.score, 1, 1e-5);
    }
  }
}

TEST(Assignment, NobodyAnswersWhereNoAnchorIsInside) {
  const Scale scale = plain_scale();
  EXPECT_THAT(assign(scale, {{12, 12, 20, 20}}, {1}), IsEmpty());  // all on the rim
  EXPECT_THAT(assign(scale, {{13, 13, 19, 19}}, {1}), IsEmpty());
  EXPECT_THAT(assign(scale, {}, {}), IsEmpty());
  EXPECT_EQ(assign(scale, {{11.9f, 11.9f, 20, 20}}, {1}).size(), 1u);
  EXPECT_EQ(assign(scale, {{-40, -40, 72, 72}}, {1}, 100).size(), 16u);
}

TEST(Assignment, ScalesAnswerTogether) {
  Scale fine = plain_scale();
  Scale coarse(2, 16, 2);
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t column = 0; column < 2; ++column) {
      coarse.predict(row, column, {0.5, 0.5, 0.5, 0.5});
      coarse.say(row, column, 0, 0.5);
    }
  const std::vector<ScaleView> views = {fine.view(), coarse.view()};
  const std::vector<Corners> boxes = {{0, 0, 16, 16}};
  const std::vector<int64_t> labels = {0};
  const auto assigned = assign_boxes(views, boxes, labels, {.top = 1});
  ASSERT_EQ(assigned.size(), 1u);
  EXPECT_EQ(assigned[0].scale, 1);
  EXPECT_NEAR(assigned[0].score, 1, 1e-5);
}

}  // namespace
}  // namespace flyball
