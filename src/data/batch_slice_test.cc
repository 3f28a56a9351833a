#include "data/batch_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace flyball {
namespace {

using testing::ElementsAre;

template <class T, size_t N>
const std::byte* bytes(const std::array<T, N>& numbers) {
  return reinterpret_cast<const std::byte*>(numbers.data());
}

TEST(BatchSlice, ShowsSomeSamplesWithTheirPackedRows) {
  const std::array<float, 8> wide = {0, 1, 10, 11, 20, 21, 30, 31};
  const std::array<int64_t, 4> label = {0, 1, 2, 3};
  const std::array<int32_t, 10> boxes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::array<int64_t, 5> offsets = {0, 2, 2, 3, 5};
  const std::array<TensorView, 4> tensors = {{{"wide", DType::float32, {4, 2}, bytes(wide)},
                                              {"boxes", DType::int32, {5, 2}, bytes(boxes)},
                                              {"boxes_offsets", DType::int64, {5}, bytes(offsets)},
                                              {"label", DType::int64, {4}, bytes(label)}}};
  const BatchView batch{tensors, 4};
  BatchSlice slice;
  const BatchView part = slice.take(batch, 1, 2);
  EXPECT_EQ(part.count(), 2);
  EXPECT_THAT(part.values<float>("wide"), ElementsAre(10, 11, 20, 21));
  EXPECT_THAT(part.values<int64_t>("label"), ElementsAre(1, 2));
  EXPECT_THAT(part.values<int32_t>("boxes"), ElementsAre(4, 5));
  EXPECT_THAT(part.values<int64_t>("boxes_offsets"), ElementsAre(0, 0, 1));
  EXPECT_TRUE(check_tensor(part, {"boxes", DType::int32, {2}, RowLayout::packed, 9}).ok());
  EXPECT_TRUE(check_tensor(part, {"wide", DType::float32, {2}}).ok());
  EXPECT_THAT(slice.take(batch, 3, 1).values<int32_t>("boxes"), ElementsAre(6, 7, 8, 9));
}

}  // namespace
}  // namespace flyball
