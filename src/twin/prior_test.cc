#include "twin/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

using testing::ElementsAre;

const TwinBoard& orin() {
  static const TwinBoard board = *find_twin_board("orin_agx");
  return board;
}

TwinWorkload resnet18() {
  return *known_twin_workload("resnet18", Phase::train);
}

TEST(TwinPrior, TellsTimeAndPowerOverFewValuesOfEachAxis) {
  const auto prior = twin_prior(orin(), resnet18(), "module", orin().axes);
  ASSERT_TRUE(prior.ok()) << prior.error().message;
  EXPECT_EQ(prior->size(), 7u * 7 * 7 * 4);
  EXPECT_EQ(prior->title(), "resnet18 train on orin_agx");
  EXPECT_EQ(prior->known(0), Provenance::simulated);
  EXPECT_TRUE(prior->accepted.simulated);
  EXPECT_EQ(prior->space.axes()[1].values.front(), 115.2);
  EXPECT_EQ(prior->space.axes()[1].values.back(), 2201.6);
  EXPECT_GT(prior->minibatch_ms.front(), 5 * prior->minibatch_ms.back());
  EXPECT_LT(prior->power_w.front(), prior->power_w.back());
}

TEST(TwinPrior, LeavesOutWhatTheTwinDoesNotKnow) {
  const Axis axes[] = {named_axis("gpu_mhz", {114.75, 700, 1300.5}), named_axis("turbo", {0, 1}),
                       named_axis("batch_size", {4, 1e6})};
  const auto prior = twin_prior(orin(), resnet18(), "", axes);
  ASSERT_TRUE(prior.ok()) << prior.error().message;
  ASSERT_EQ(prior->space.dimensions(), 2u);
  EXPECT_THAT(prior->space.axes()[0].values, ElementsAre(114.75, 1300.5));
  EXPECT_THAT(prior->space.axes()[1].values, ElementsAre(4));  // the other does not fit the memory
}

TEST(TwinPrior, TellsItsOwnTotalWhereItHasNotTheOneAskedFor) {
  EXPECT_EQ(twin_prior(orin(), resnet18(), "monitor", orin().axes)->power_total, "monitor");
  EXPECT_EQ(twin_prior(orin(), resnet18(), "wall", orin().axes)->power_total, "module");
}

TEST(TwinPrior, IsNoneOfAnUnknownNetwork) {
  WorkloadTable asked;
  asked.workload = "resnet18";
  EXPECT_NE(known_prior(orin(), asked, orin().axes), nullptr);
  asked.workload = "net";
  EXPECT_EQ(known_prior(orin(), asked, orin().axes), nullptr);
}

}  // namespace
}  // namespace flyball
