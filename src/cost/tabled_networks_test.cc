#include "cost/tabled_networks.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(TabledNetworks, HaveTheInputsOfThePublishedTables) {
  EXPECT_EQ(tabled_network("bert", Phase::infer).name, "bert_large");
  EXPECT_EQ(tabled_network("BERT-base", Phase::train).input, "384");
  EXPECT_EQ(tabled_network("vit", Phase::train).input, "3x32x32");
  EXPECT_EQ(tabled_network("LSTM", Phase::train).input, "8");
  EXPECT_EQ(tabled_network("ResNet50", Phase::infer).input, "");
  EXPECT_EQ(tabled_network("net", Phase::infer).name, "net");
}

TEST(TabledNetworks, CostWhatTheirLayersDoWithThatInput) {
  const auto flop = [](const std::optional<Cost>& cost) { return cost->flop_at(16); };
  const double rows_of_384 = flop(tabled_cost("bert", Phase::train));
  EXPECT_EQ(rows_of_384, flop(network_cost("bert_base", Phase::train, "384")));
  EXPECT_GT(rows_of_384, 2.9 * flop(network_cost("bert_base", Phase::train)));
  EXPECT_EQ(flop(tabled_cost("MobNet", Phase::infer)),
            flop(network_cost("mobilenet_v3", Phase::infer)));
  EXPECT_FALSE(tabled_cost("net", Phase::train));
}

}  // namespace
}  // namespace flyball
