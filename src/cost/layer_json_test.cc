#include "cost/layer_json.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "cost/networks.h"

namespace flyball {
namespace {

TEST(LayerJson, ATableReadsBackToTheBit) {
  const auto table = network_layers("resnet18", Phase::train, 16);
  ASSERT_TRUE(table.ok());
  const auto text = layer_table_json(*table).dump();
  const auto back = read_layer_table(Json::parse(text));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(layer_table_json(*back).dump(), text);
  EXPECT_EQ(back->layers.size(), table->layers.size());
}

TEST(LayerJson, WhatIsNoTableIsSaid) {
  const auto table = network_layers("lenet5", Phase::infer, 1);
  ASSERT_TRUE(table.ok());
  const auto good = layer_table_json(*table);
  const auto refused = [&good](const auto& change, const char* word) {
    auto bad = good;
    change(bad);
    const auto read = read_layer_table(bad);
    ASSERT_FALSE(read.ok()) << word;
    EXPECT_NE((read.error().message + read.error().hint).find(word), std::string::npos)
        << read.error().message;
  };
  refused([](auto& json) { json = 3; }, "object");
  refused([](auto& json) { json.erase("workload"); }, "workload");
  refused([](auto& json) { json["rules"] = "fused"; }, "fused");
  refused([](auto& json) { json["layers"][0]["flop"] = -1; }, "flop");
  refused([](auto& json) { json["layers"][0]["shape"] = "2x3"; }, "shape");
  refused([](auto& json) { json["layers"][0]["kind"] = "quantum"; }, "quantum");
  refused([](auto& json) { json["layers"] = nullptr; }, "layers");
}

}  // namespace
}  // namespace flyball
