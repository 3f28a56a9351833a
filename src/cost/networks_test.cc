#include "cost/networks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

LayerTable layers(const std::string& name, Phase phase, double batch, const std::string& input = "",
                  CountRules rules = CountRules::exact) {
  const auto table = network_layers(name, phase, batch, input, rules);
  EXPECT_TRUE(table.ok()) << name << ": " << (table ? "" : table.error().message);
  return table ? *table : LayerTable{};
}

double products(const LayerTable& table) {
  double flop = 0;
  for (const Layer& layer : table.layers)
    if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::depthwise ||
        layer.kind == LayerKind::matrix || layer.kind == LayerKind::attention)
      flop += layer.flop;
  return flop;
}

// Multiply-accumulates as torchvision publishes them, and parameters.
struct Published {
  const char* name;
  double parameters, multiplies;
};
constexpr Published torchvision[] = {{"resnet18", 11689512, 1.814e9},
                                     {"resnet50", 25557032, 4.089e9},
                                     {"mobilenet_v3", 5483032, 0.217e9},
                                     {"vgg11", 132863336, 7.609e9},
                                     {"vit_b16", 86567656, 17.564e9}};

TEST(Networks, MultiplyAccumulatesAreThePublishedOnes) {
  for (const Published& row : torchvision) {
    const LayerTable table = layers(row.name, Phase::infer, 1);
    EXPECT_EQ(table.totals().parameters, row.parameters) << row.name;
    EXPECT_NEAR(products(table) / 2 / row.multiplies, 1, 0.01) << row.name;
  }
}

TEST(Networks, EveryTableIsWhole) {
  EXPECT_GE(known_networks().size(), 9u);
  for (const KnownNetwork& network : known_networks()) {
    for (const Phase phase : {Phase::infer, Phase::train}) {
      const LayerTable one = layers(network.name, phase, 1, network.input);
      const LayerTable many = layers(network.name, phase, 64, network.input);
      EXPECT_GT(many.totals().flop, 10 * one.totals().flop) << network.name << network.input;
      EXPECT_EQ(many.totals().parameters, one.totals().parameters) << network.name;
      EXPECT_EQ(one.batch_size, 1);
      EXPECT_EQ(one.phase, phase);
      for (const Layer& layer : many.layers) {
        EXPECT_GE(layer.flop, 0) << network.name << " " << layer.name << " " << layer.op;
        EXPECT_GE(layer.bytes, 0) << network.name << " " << layer.name;
        EXPECT_NE(layer.kind, LayerKind::other) << network.name << " " << layer.op;
      }
    }
    const LayerTable forward = layers(network.name, Phase::infer, 8, network.input);
    const LayerTable step = layers(network.name, Phase::train, 8, network.input);
    EXPECT_EQ(forward.totals().parameters, step.totals().parameters) << network.name;
    // Twice as much for the two gradients, but for the first layer's, and the optimizer.
    EXPECT_NEAR(step.totals().flop / forward.totals().flop, 3, 0.45) << network.name;
    EXPECT_EQ(forward.totals().activation_bytes, 0);
    EXPECT_GT(step.totals().activation_bytes, 0) << network.name;
  }
}

// 8·b·S·H(E + H) of each layer, and 34 for each cell.
TEST(Networks, AnLstmIsItsProductsAndItsGates) {
  constexpr double batch = 16, steps = 8, width = 256;
  double flop = 0;
  for (const Layer& layer : layers("LSTM", Phase::infer, batch, "8").layers)
    if (layer.kind == LayerKind::recurrent) flop += layer.flop;
  EXPECT_DOUBLE_EQ(flop, 2 * (8 * batch * steps * width * 2 * width + 34 * batch * steps * width));
}

// Queries meet keys, and weights values, once for each sample and head: twice 2·b·T²·width.
TEST(Networks, AttentionIsBatched) {
  constexpr double tokens = 128, width = 768, layer_count = 12;
  for (const double batch : {1., 16.}) {
    const LayerTable table = layers("bert_base", Phase::infer, batch, "128");
    double flop = 0;
    for (const Layer& layer : table.layers)
      if (layer.kind == LayerKind::attention) flop += layer.flop;
    const double products = 2 * 2 * batch * tokens * tokens * width * layer_count;
    EXPECT_GE(flop, products);
    EXPECT_LT(flop, 1.01 * products);  // and the scores' mask
  }
}

// Pagoda's table at batch size 1; see counting.h.
struct Pagoda {
  const char* name;
  const char* input;
  double flop, flop_tolerance, bytes, bytes_tolerance;
};
constexpr Pagoda pagoda[] = {
    {"mobilenet_v3", "3x224x224", 449137560, 0, 102976672, 0},
    {"resnet50", "3x224x224", 8206316544, 0, 336671392, 0},
    {"lstm", "8", 129003520, 0, 35322336, 0},
    {"yolov8n", "3x640x640", 8839855200, 0, 539346304, 0},
    {"bert_large", "128", 79136298142, 0.01, 2601011072, 0.01},
};

TEST(Networks, PagodasTableComesFromTheGraphs) {
  for (const Pagoda& row : pagoda) {
    ASSERT_TRUE(is_known_network(row.name)) << row.name;
    const LayerTotals one =
        layers(row.name, Phase::infer, 1, row.input, CountRules::pagoda).totals();
    EXPECT_NEAR(one.flop, row.flop, row.flop_tolerance * row.flop) << row.name;
    EXPECT_NEAR(one.bytes, row.bytes, row.bytes_tolerance * row.bytes) << row.name;
    const LayerTotals step =
        layers(row.name, Phase::train, 1, row.input, CountRules::pagoda).totals();
    EXPECT_DOUBLE_EQ(step.flop, 3 * one.flop);
    EXPECT_DOUBLE_EQ(step.bytes, 3 * one.bytes);
  }
}

TEST(Networks, NamesAreFoundAndOthersAreNamed) {
  EXPECT_TRUE(is_known_network("ResNet-18"));
  EXPECT_TRUE(is_known_network("yolo_v8n"));
  const auto unknown = network_layers("no_such_network", Phase::infer, 1);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().hint.find("resnet18"), std::string::npos);
  const auto shape = network_layers("resnet18", Phase::infer, 1, "3x17x17");
  ASSERT_FALSE(shape.ok());
  EXPECT_NE(shape.error().hint.find("3x32x32"), std::string::npos);
  EXPECT_FALSE(network_layers("resnet18", Phase::infer, 0).ok());
}

TEST(NetworkMemory, IsKnownOfEveryNetworkInBothPhases) {
  for (const KnownNetwork& network : known_networks())
    for (const Phase phase : {Phase::train, Phase::infer}) {
      const auto memory = network_memory(network.name, phase, network.input);
      ASSERT_TRUE(memory.ok()) << network.name << ": " << memory.error().message;
      EXPECT_GT(memory->sample_bytes, 0) << network.name;
      // Weights are those of the layer table, fp32, and statistics of normalisations.
      const LayerTable layers = *network_layers(network.name, phase, 2, network.input);
      const MemoryUse peak = memory->model.peak(2);
      EXPECT_GE(peak[MemoryPart::weights], 4 * layers.totals().parameters) << network.name;
      EXPECT_LE(peak[MemoryPart::weights], 4.1 * layers.totals().parameters + 1e6) << network.name;
      EXPECT_EQ(peak[MemoryPart::optimizer] > 0, phase == Phase::train) << network.name;
      EXPECT_GT(memory->model.kept(16), memory->model.kept(2)) << network.name;
    }
  EXPECT_FALSE(network_memory("nothing", Phase::train).ok());
}

}  // namespace
}  // namespace flyball
