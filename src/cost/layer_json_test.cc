#include "cost/layer_json.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "cost/networks.h"

namespace flyball {
namespace {

TEST(LayerJson, TotalsAreSumsOverTheLayers) {
  const auto table = network_layers("resnet18", Phase::train, 16);
  ASSERT_TRUE(table.ok());
  const Json json = layer_table_json(*table);
  EXPECT_EQ(json.at("layers").size(), table->layers.size());
  for (const char* key : {"parameters", "flop", "bytes", "kernels", "activation_bytes"}) {
    double sum = 0;
    for (const Json& layer : json.at("layers")) sum += layer.at(key).get<double>();
    EXPECT_NEAR(json.at(key).get<double>(), sum, 1e-9 * sum) << key;
  }
}

}  // namespace
}  // namespace flyball
