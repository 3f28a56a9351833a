#include "predict/gp/grid_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

constexpr int side = 12;

std::vector<Axis> two_axes() {
  std::vector<double> values;
  for (int i = 0; i < side; ++i) values.push_back(100.0 + 100 * i);
  return {named_axis("cpu_mhz", values), named_axis("gpu_mhz", values)};
}

CodedRows all_cells() {
  Matrix x(side * side, 2);
  for (int i = 0; i < side * side; ++i) x.row(i) << 100 + 100 * (i / side), 100 + 100 * (i % side);
  return CodedRows(x);
}

double rms(const Vector& v) {
  return std::sqrt(v.squaredNorm() / static_cast<double>(v.size()));
}

/// Steps along the first axis that no neighbour along it foretells; the same along the second.
Vector rough_along_first() {
  Random random(3);
  Vector truth(side * side);
  for (int a = 0; a < side; ++a) {
    const double step = 0.02 * random.normal();
    for (int b = 0; b < side; ++b) truth[a * side + b] = step;
  }
  return truth;
}

TEST(GridFieldTest, StructureThatNeighboursShareIsKept) {
  const Vector truth = rough_along_first();
  const Vector field = make_grid_field(two_axes(), all_cells(), truth)->at(all_cells());
  EXPECT_LT(rms(field - truth), 1e-9);
}

TEST(GridFieldTest, NoiseIsTakenOutAlongAxesThatAgree) {
  const Vector truth = rough_along_first();
  Random random(5);
  Vector noise(truth.size());
  for (double& value : noise) value = 0.02 * random.normal();
  const Vector field = make_grid_field(two_axes(), all_cells(), truth + noise)->at(all_cells());
  EXPECT_LT(rms(field - truth), 0.75 * rms(noise));
}

TEST(GridFieldTest, ASingleSpikeIsNoStructure) {
  Vector values = Vector::Zero(side * side);
  values[5 * side + 6] = -0.3;
  const Vector field = make_grid_field(two_axes(), all_cells(), values)->at(all_cells());
  EXPECT_LT(field.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(GridFieldTest, UnknownCellsAreFilledFromTheirNeighbours) {
  Vector values = Vector::Constant(side * side, 0.04);
  values[0] = values[7 * side + 3] = NAN;
  const Vector field = make_grid_field(two_axes(), all_cells(), values)->at(all_cells());
  EXPECT_NEAR(field[0], 0.04, 1e-9);
  EXPECT_NEAR(field[7 * side + 3], 0.04, 1e-9);
}

}  // namespace
}  // namespace flyball
