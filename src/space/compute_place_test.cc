#include "space/compute_place.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(ComputePlace, NamesAGpuByItsNumber) {
  EXPECT_EQ(cuda_number("cuda"), 0u);
  EXPECT_EQ(cuda_number("cuda:0"), 0u);
  EXPECT_EQ(cuda_number("cuda:12"), 12u);
  for (const char* other : {"", "cpu", "cuda:", "cuda:x", "cuda:-1", "cudax", "cuda1", "my cuda:1"})
    EXPECT_EQ(cuda_number(other), std::nullopt) << other;
}

}  // namespace
}  // namespace flyball
