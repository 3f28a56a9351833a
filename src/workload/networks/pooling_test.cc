#include "workload/networks/pooling.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

struct Case {
  int64_t height, width, window, stride, padding;
};

class MaxPool : public testing::TestWithParam<Case> {};

TEST_P(MaxPool, EqualsLibTorchForwardAndBackward) {
  const auto [height, width, window, stride, padding] = GetParam();
  torch::manual_seed(3);
  // Rounded, so that ties are common.
  torch::Tensor ours = (torch::randn({3, 5, height, width}) * 2).round().set_requires_grad(true);
  torch::Tensor theirs = ours.detach().clone().set_requires_grad(true);
  const torch::Tensor a = max_pool2d(ours, window, stride, padding);
  const torch::Tensor b =
      at::max_pool2d(theirs, {window, window}, {stride, stride}, {padding, padding});
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_TRUE(a.equal(b));
  const torch::Tensor gradient = torch::randn(a.sizes().vec());
  a.backward(gradient);
  b.backward(gradient);
  EXPECT_TRUE(at::allclose(ours.grad(), theirs.grad(), 1e-6, 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Shapes, MaxPool,
                         testing::Values(Case{28, 28, 2, 2, 0}, Case{10, 10, 2, 2, 0},
                                         Case{7, 9, 2, 2, 0}, Case{6, 5, 2, 2, 0},
                                         Case{3, 8, 2, 2, 0}, Case{2, 2, 2, 2, 0},
                                         Case{6, 6, 2, 2, 1}, Case{56, 41, 3, 2, 1},
                                         Case{8, 8, 3, 1, 1}, Case{11, 13, 4, 3, 2},
                                         Case{3, 3, 3, 3, 0}, Case{1, 1, 3, 2, 1}));

TEST(MaxPoolEdges, NotANumberSpreadsAsInLibTorch) {
  torch::Tensor input = torch::randn({1, 1, 6, 6});
  input[0][0][2][2] = NAN;
  const torch::Tensor a = max_pool2d(input, 2, 2), b = at::max_pool2d(input, 2);
  EXPECT_TRUE(at::allclose(a, b, 0, 0, true));
  EXPECT_TRUE(std::isnan(a[0][0][1][1].item<float>()));
}

TEST(MaxPoolEdges, OtherTypesAndLayoutsFallBack) {
  const torch::Tensor input = torch::randn({2, 4, 8, 8});
  const torch::Tensor last = input.contiguous(torch::MemoryFormat::ChannelsLast);
  EXPECT_TRUE(max_pool2d(last, 2, 2).equal(at::max_pool2d(input, 2)));
  const torch::Tensor wide = input.to(torch::kFloat64);
  EXPECT_TRUE(max_pool2d(wide, 2, 2).equal(at::max_pool2d(wide, 2)));
  EXPECT_ANY_THROW(max_pool2d(input, 20, 2));
}

}  // namespace
}  // namespace flyball
