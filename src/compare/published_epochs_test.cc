#include "compare/published_epochs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "boards/capacity.h"
#include "compare/compared_network.h"
#include "twin/twin.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(PublishedEpochs, AreOfBoardsAndNetworksThatThereAre) {
  const auto known = known_published_epochs();
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(known->epochs.size(), 4u);
  for (const auto& [board, networks] : known->epochs) {
    EXPECT_THAT(boards_with_capacity(), Contains(board));
    EXPECT_EQ(networks.size(), 5u);
    for (const auto& [network, epoch] : networks) {
      EXPECT_TRUE(known_twin_workload(network, Phase::train).ok()) << network;
      EXPECT_EQ(canonical_network(network), network);
    }
  }
  for (const auto& [network, samples] : known->samples)
    EXPECT_EQ(compared_network(network, 0).samples, samples) << network;
}

TEST(PublishedEpochs, WhatDidNotFitHasNoSeconds) {
  const auto known = known_published_epochs();
  ASSERT_TRUE(known.ok());
  ASSERT_NE(known->find("rpi5", "bert_base"), nullptr);
  EXPECT_FALSE(known->find("rpi5", "bert_base")->seconds);
  EXPECT_EQ(known->find("orin_agx", "resnet18")->seconds, 186);
  EXPECT_EQ(known->find("orin_agx", "vgg11"), nullptr);
  EXPECT_EQ(known->find("nano", "resnet18"), nullptr);
}

TEST(PublishedEpochs, WhatIsWrongIsNamedWithItsLine) {
  const std::string head = "title = \"t\"\nsource = \"s\"\nbatch_size = 16\nloader_workers = 4\n";
  EXPECT_TRUE(parse_published_epochs(head + "[seconds]\nrig = {net = 5}", "p.toml").ok());
  for (const std::string& text :
       {head, std::string("[seconds]\nrig = {net = 5}\n"), head + "[seconds]\nrig = {net = -5}",
        head + "[seconds]\nrig = {net = \"long\"}", head + "[seconds]\nrig = 5"}) {
    const auto parsed = parse_published_epochs(text, "p.toml");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr("p.toml:"));
  }
}

}  // namespace
}  // namespace flyball
