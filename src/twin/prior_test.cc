#include "twin/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cost/tabled_networks.h"

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

TEST(TwinPrior, TakesTheBatchSizeOfAJob) {
  const Axis axes[] = {named_axis("gpu_mhz", {114.75, 1300.5})};
  WorkloadTable asked;
  asked.workload = "resnet18";
  EXPECT_EQ(known_prior(orin(), asked, axes), nullptr) << "nobody knows how large a minibatch is";
  asked.batch_size = 16;
  const auto usual = known_prior(orin(), asked, axes);
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->minibatch_ms, twin_prior(orin(), resnet18(), "", axes)->minibatch_ms);
  asked.batch_size = 32;
  const auto larger = known_prior(orin(), asked, axes);
  EXPECT_GT(larger->minibatch_ms[0], 1.5 * usual->minibatch_ms[0]);
  EXPECT_EQ(larger->space.dimensions(), 1u);
}

// Four workers that are behind deliver in bursts, of which the median is the short gap.
TEST(TwinPrior, OfLiveTrialsIsOfMeansAndOfRequestsAtHand) {
  const Axis axes[] = {named_axis("cpu_mhz", {729.6}), named_axis("batch_size", {64})};
  WorkloadTable asked;
  asked.workload = "mobilenet_v3";
  EXPECT_GT(known_prior(orin(), asked, axes, true)->minibatch_ms[0],
            1.5 * known_prior(orin(), asked, axes)->minibatch_ms[0]);
  asked.phase = Phase::infer;
  EXPECT_GT(known_prior(orin(), asked, axes, true)->power_w[0],
            1.1 * known_prior(orin(), asked, axes)->power_w[0]);
}

TEST(TwinPrior, TellsTheWorkOfOtherInputs) {
  for (const char* name : {"resnet", "resnet50", "mobnet", "vgg11", "yolo", "lenet", "bert",
                           "bert_large", "lstm", "vit_b16", "resnet18_cifar10"})
    for (const Phase phase : {Phase::train, Phase::infer}) {
      Cost counted = *tabled_cost(name, phase);
      EXPECT_TRUE(is_work_of_twin(name, phase, counted)) << name;
      counted.flop /= 4;  // of pictures half as wide and high
      EXPECT_FALSE(is_work_of_twin(name, phase, counted)) << name;
    }
  EXPECT_FALSE(is_work_of_twin("net", Phase::train, {}));
}

TEST(TwinPrior, IsNoneOfAnUnknownNetwork) {
  WorkloadTable asked;
  asked.workload = "resnet18";
  asked.batch_size = 16;
  EXPECT_NE(known_prior(orin(), asked, orin().axes), nullptr);
  asked.workload = "net";
  EXPECT_EQ(known_prior(orin(), asked, orin().axes), nullptr);
}

}  // namespace
}  // namespace flyball
