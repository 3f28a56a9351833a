// The networks as the twin writes them down, beside what was traced (cost/tabled_networks.h).
#include "twin/eager.h"

#include <gtest/gtest.h>

#include "cost/tabled_networks.h"

namespace flyball {
namespace {

bool is_product(const Layer& layer) {
  return layer.kind == LayerKind::convolution || layer.kind == LayerKind::depthwise ||
         layer.kind == LayerKind::matrix || layer.kind == LayerKind::attention ||
         layer.kind == LayerKind::recurrent;
}

double products(const LayerTable& table) {
  double flop = 0;
  for (const Layer& layer : table.layers)
    if (is_product(layer)) flop += layer.flop;
  return flop;
}

TEST(Eager, AgreesWithWhatWasTraced) {
  EXPECT_EQ(eager_networks().size(), 11u);
  for (const std::string& name : eager_networks()) {
    if (name == "bilstm") continue;  // of no table
    ASSERT_TRUE(is_known_network(name)) << name;
    for (const Phase phase : {Phase::infer, Phase::train}) {
      const auto traced = network_layers(name, phase, 16, tabled_network(name, phase).input);
      ASSERT_TRUE(traced.ok()) << traced.error().message;
      const auto eager = eager_layers(name, phase, 16);
      ASSERT_TRUE(eager.has_value()) << name;
      // ViT lacks its class and positions, which are no operator's.
      const double parameters = traced->totals().parameters;
      EXPECT_NEAR(eager->totals().parameters, parameters, name == "vit_b16" ? 1e-4 * parameters : 0)
          << name;
      double flop = products(*eager);
      // The gradient of the pictures, see eager.cc.
      const Layer& first = eager->layers.front();
      if (phase == Phase::train && is_product(first)) flop -= first.flop;
      EXPECT_NEAR(flop / products(*traced), 1, 0.01) << name << phase_name(phase);
    }
  }
}

}  // namespace
}  // namespace flyball
