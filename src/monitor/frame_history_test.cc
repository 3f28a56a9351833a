#include "monitor/frame_history.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Eq;
using testing::Optional;

BoardFrame at(double at_s, double power_w) {
  BoardFrame frame;
  frame.at_s = at_s;
  frame.power_w = power_w;
  return frame;
}

TEST(FrameHistory, ColumnsAreMeansOfTheirTime) {
  FrameHistory history;
  for (int i = 0; i < 8; ++i) history.add(at(i * 0.5, i));
  EXPECT_THAT(
      history.columns(&Moment::power_w, 1, 3),
      ElementsAre(Optional(DoubleEq(2.5)), Optional(DoubleEq(4.5)), Optional(DoubleEq(6.5))));
}

TEST(FrameHistory, AValueLastsUntilTheNext) {
  FrameHistory history;
  history.add(at(0, 1));
  history.add(at(3, 2));
  EXPECT_THAT(history.columns(&Moment::power_w, 1, 5),
              ElementsAre(Eq(std::nullopt), Optional(DoubleEq(1)), Optional(DoubleEq(1)),
                          Optional(DoubleEq(1)), Optional(DoubleEq(2))));
}

TEST(FrameHistory, WhatWasNotReadIsEmpty) {
  FrameHistory history;
  history.add(at(0, 1));
  EXPECT_THAT(history.columns(&Moment::gpu, 1, 2), ElementsAre(Eq(std::nullopt), Eq(std::nullopt)));
  EXPECT_TRUE(history.columns(&Moment::power_w, 0, 2)[1] == std::nullopt);
}

TEST(FrameHistory, IsBoundedAndBeginsAnewWhereTimeGoesBack) {
  FrameHistory history(3);
  for (int i = 0; i < 10; ++i) history.add(at(i, i));
  EXPECT_EQ(history.size(), 3u);
  history.add(at(1, 1));
  EXPECT_EQ(history.size(), 1u);
}

TEST(FrameHistory, LoadIsOfCoresThatAreOn) {
  BoardFrame frame;
  EXPECT_FALSE(mean_load(frame));
  frame.cores = {0.5, std::nullopt, 1.0};
  EXPECT_THAT(mean_load(frame), Optional(DoubleEq(0.75)));
}

}  // namespace
}  // namespace flyball
