#include "cost/kind_totals.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Layer layer(LayerKind kind, double flop, double bytes) {
  Layer one;
  one.kind = kind;
  one.flop = flop;
  one.bytes = bytes;
  one.parameters = 1;
  one.kernels = 2;
  one.activation_bytes = 4;
  return one;
}

TEST(KindTotals, EachKindOnceAndTheDearestFirst) {
  LayerTable table;
  EXPECT_THAT(kind_totals(table), IsEmpty());
  table.layers = {layer(LayerKind::elementwise, 10, 40), layer(LayerKind::matrix, 300, 20),
                  layer(LayerKind::elementwise, 30, 60), layer(LayerKind::move, 0, 5)};
  const auto kinds = kind_totals(table);
  ASSERT_THAT(kinds, SizeIs(3));
  EXPECT_EQ(kinds[0].kind, LayerKind::matrix);
  EXPECT_EQ(kinds[1].kind, LayerKind::elementwise);
  EXPECT_EQ(kinds[1].operators, 2u);
  EXPECT_EQ(kinds[1].totals.flop, 40);
  EXPECT_EQ(kinds[1].totals.bytes, 100);
  EXPECT_EQ(kinds[1].totals.kernels, 4);
  EXPECT_EQ(kinds[1].totals.parameters, 2);
  EXPECT_EQ(kinds[1].totals.activation_bytes, 8);
  EXPECT_EQ(kinds[2].kind, LayerKind::move);
  double flop = 0;
  for (const KindTotals& one : kinds) flop += one.totals.flop;
  EXPECT_EQ(flop, table.totals().flop);
}

}  // namespace
}  // namespace flyball
