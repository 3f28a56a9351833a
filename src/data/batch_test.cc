#include "data/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/batch_buffer.h"
#include "data/data_testing.h"
#include "data/pictures/picture_collate.h"
#include "data/sample_parts.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<TensorSpec> kLayout = {{"ids", DType::int64, {4}},
                                         {"mask", DType::boolean, {4}},
                                         {"boxes", DType::float32, {2}, RowLayout::packed, 3},
                                         {"score", DType::float64, {}}};

// Adds a sample of so many ids, and as many boxes as `boxes` says.
void add(BatchBuffer& buffer, int64_t ids, int64_t boxes, double score) {
  const auto row = buffer.row<int64_t>(0);
  const auto mask = buffer.row<bool>(1);
  for (size_t i = 0; i < row.size(); ++i) {
    mask[i] = static_cast<int64_t>(i) < ids;
    row[i] = mask[i] ? static_cast<int64_t>(i) + 1 : 0;
  }
  const auto rows = buffer.append<float>(2, boxes);
  ASSERT_TRUE(rows.ok());
  std::fill(rows->begin(), rows->end(), static_cast<float>(score));
  buffer.row<double>(3)[0] = score;
  buffer.commit();
}

TEST(TensorShape, SaysWhatItIs) {
  EXPECT_EQ((TensorShape{3, 224, -1}).text(), "3×224×any");
  EXPECT_EQ(TensorShape{}.text(), "scalar");
  EXPECT_EQ((TensorShape{3, 4, 5}).elements(), 60);
  EXPECT_EQ(TensorShape{}.elements(), 1);
  EXPECT_NE((TensorShape{3}), (TensorShape{3, 0}));
  EXPECT_THROW((TensorShape{1, 2, 3, 4, 5, 6, 7}), std::length_error);
}

TEST(BatchBuffer, PadsPacksAndIsUsedAgain) {
  auto buffer = *BatchBuffer::create(kLayout, 3);
  for (int round = 0; round < 2; ++round) {
    buffer.clear();
    add(buffer, 2, 1, 0.5);
    add(buffer, 3, 0, 1.5);
    add(buffer, 1, 2, 2.5);
    buffer.trim(0, 3);
    buffer.trim(1, 3);
    const BatchView view = buffer.view();
    EXPECT_EQ(view.count(), 3);
    EXPECT_EQ(view.find("ids")->shape, (TensorShape{3, 3}));
    EXPECT_THAT(view.values<int64_t>("ids"), ElementsAre(1, 2, 0, 1, 2, 3, 1, 0, 0));
    EXPECT_THAT(view.values<bool>("mask"),
                ElementsAre(true, true, false, true, true, true, true, false, false));
    EXPECT_EQ(view.find("boxes")->shape, (TensorShape{3, 2}));
    EXPECT_THAT(view.values<float>("boxes"), ElementsAre(0.5f, 0.5f, 2.5f, 2.5f, 2.5f, 2.5f));
    EXPECT_THAT(view.values<int64_t>("boxes_offsets"), ElementsAre(0, 1, 1, 3));
    EXPECT_THAT(view.values<double>("score"), ElementsAre(0.5, 1.5, 2.5));
    for (const TensorSpec& spec : kLayout) {
      TensorSpec wanted = spec;
      if (spec.shape == TensorShape{4}) wanted.shape = {-1};
      EXPECT_TRUE(check_tensor(view, wanted).ok()) << spec.name;
    }
    for (const TensorView& tensor : view.tensors)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % 64, 0u) << tensor.name;
  }
}

TEST(BatchBuffer, ADiscardedSampleLeavesNothing) {
  auto buffer = *BatchBuffer::create(kLayout, 2);
  add(buffer, 1, 2, 0.5);
  ASSERT_TRUE(buffer.append<float>(2, 3).ok());
  buffer.discard();
  add(buffer, 2, 1, 1.5);
  EXPECT_THAT(buffer.view().values<int64_t>("boxes_offsets"), ElementsAre(0, 2, 3));
  EXPECT_THAT(buffer.view().values<float>("boxes"),
              ElementsAre(0.5f, 0.5f, 0.5f, 0.5f, 1.5f, 1.5f));
}

TEST(BatchBuffer, RefusesWhatDoesNotFit) {
  auto buffer = *BatchBuffer::create(kLayout, 1);
  const auto rows = buffer.append<float>(2, 4);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().message, "4 rows of 'boxes' where a sample has 3 at most");
  EXPECT_THROW(buffer.row<float>(0), std::logic_error);
  EXPECT_THROW(buffer.row<float>(2), std::logic_error);
  EXPECT_THROW(buffer.trim(0, 5), std::logic_error);
  add(buffer, 1, 0, 0);
  EXPECT_THROW(buffer.row<int64_t>(0), std::logic_error);
  EXPECT_THROW(buffer.commit(), std::logic_error);
}

TEST(BatchBuffer, LayoutsAreChecked) {
  const auto complaint = [](std::vector<TensorSpec> layout, int64_t batch_size = 2) {
    const auto buffer = BatchBuffer::create(layout, batch_size);
    return buffer.ok() ? std::string("accepted") : buffer.error().message;
  };
  EXPECT_EQ(complaint({}), "a minibatch without tensors");
  EXPECT_EQ(complaint(kLayout, 0), "a minibatch of 0 samples");
  EXPECT_EQ(complaint({{"a", DType::int64, {}}, {"a", DType::uint8, {}}}),
            "two tensors are called 'a'");
  EXPECT_EQ(complaint({{"a", DType::int64, {-1}}}), "tensor 'a' has no largest size");
  EXPECT_EQ(complaint({{"a", DType::int64, {}, RowLayout::packed, 0}}), "tensor 'a' of 0 rows");
}

TEST(BatchBuffer, WhatNoMemoryHoldsIsAnError) {
  const std::vector<TensorSpec> images = {{"image", DType::float32, {3, 224, 224}}};
  for (const int64_t batch_size : {int64_t{1} << 40, int64_t{1} << 62}) {
    const auto buffer = BatchBuffer::create(images, batch_size);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.error().code, Code::out_of_memory) << buffer.error().message;
  }
  const auto none = [](size_t) { return std::shared_ptr<std::byte>(); };
  EXPECT_EQ(BatchBuffer::create(images, 1, none).error().code, Code::out_of_memory);
}

TEST(Batch, WhatDoesNotFitIsNamed) {
  auto buffer = *BatchBuffer::create(kLayout, 2);
  add(buffer, 2, 1, 0.5);
  add(buffer, 3, 1, 1.5);
  const BatchView view = buffer.view();
  const auto complaint = [](const BatchView& batch, const TensorSpec& wanted) {
    const Status status = check_tensor(batch, wanted);
    return status.ok() ? std::string("fits") : status.error().message;
  };
  EXPECT_EQ(complaint(view, {"ids", DType::int64, {4}}), "fits");
  EXPECT_EQ(complaint(view, {"tokens", DType::int64, {4}}), "the batch has no tensor 'tokens'");
  EXPECT_EQ(complaint(view, {"ids", DType::int32, {4}}), "'ids' is int64 where int32 is wanted");
  EXPECT_EQ(complaint(view, {"ids", DType::int64, {5}}), "'ids' of 4 does not fit a network for 5");
  EXPECT_EQ(complaint(view, {"ids", DType::int64, {}}),
            "'ids' of 4 does not fit a network for scalar");
  EXPECT_EQ(complaint({view.tensors, 3}, {"ids", DType::int64, {4}}),
            "'ids' has 2 rows for 3 samples");
  EXPECT_EQ(complaint({}, {"ids", DType::int64, {4}}), "the batch holds no sample");
  const TensorSpec boxes{"boxes", DType::float32, {2}, RowLayout::packed};
  EXPECT_EQ(complaint(view, boxes), "fits");
  EXPECT_EQ(complaint({view.tensors.first(3), 2}, boxes),
            "the batch has no tensor 'boxes_offsets'");
  EXPECT_EQ(complaint({view.tensors, 1}, boxes), "'boxes_offsets' is 3 int64, 2 int64 are wanted");
  std::vector<TensorView> broken(view.tensors.begin(), view.tensors.end());
  const int64_t falling[] = {0, 3, 2};
  broken[3].data = reinterpret_cast<const std::byte*>(falling);
  EXPECT_EQ(complaint({broken, 2}, boxes), "'boxes_offsets' does not rise from 0 to the 2 rows");
  EXPECT_THROW(view.values<float>("ids"), std::invalid_argument);
  EXPECT_THROW(view.values<float>("none"), std::invalid_argument);
}

TEST(PictureBatch, ShowsTheCallersMemory) {
  const std::vector<float> images(2 * 3 * 4 * 5, 0.5f);
  const std::vector<int64_t> labels = {7, 8};
  const PictureBatch batch(images, labels, {3, 4, 5});
  EXPECT_EQ(batch.view().count(), 2);
  EXPECT_EQ(batch.view().find("image")->shape, (TensorShape{2, 3, 4, 5}));
  EXPECT_EQ(batch.view().values<float>("image").data(), images.data());
  EXPECT_THAT(batch.view().values<int64_t>("label"), ElementsAre(7, 8));
  EXPECT_EQ(PictureBatch(images, {}, {3, 4, 5}).view().find("label"), nullptr);
}

TEST(PictureCollate, NeedsPictures) {
  const ShapedSet text({0, 0, 0});
  const auto collate = open_picture_collate(text, {.training = true});
  ASSERT_FALSE(collate.ok());
  EXPECT_THAT(collate.error().message, HasSubstr("holds no pictures"));
}

TEST(PictureCollate, AnImageSizeIsForPicturesThatAreCut) {
  const auto other = open_picture_collate(ShapedSet({3, 40, 50}), {.image_size = 64});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ((*other)->layout().front().shape, (TensorShape{3, 64, 64}));
  const auto tiny = open_picture_collate(ShapedSet({3, 40, 50}), {.image_size = 31});
  ASSERT_FALSE(tiny.ok());
  EXPECT_THAT(tiny.error().hint, HasSubstr("32 to 1280"));
}

TEST(SampleParts, KeepTheirMemory) {
  SampleParts parts;
  parts.set<int64_t>(0, {100})[99] = 4;
  parts.set<uint8_t>(1, {3})[2] = 5;
  const std::byte* const memory = parts.view(0).data;
  parts.set<int64_t>(0, {2})[1] = 6;
  EXPECT_EQ(parts.view(0).data, memory);
  EXPECT_EQ(parts.get<int64_t>(0)[1], 6);
  EXPECT_EQ(parts.get<uint8_t>(1)[2], 5);
  EXPECT_EQ(parts.bytes(), 16u + 3);
  EXPECT_THROW((void)parts.get<float>(0), std::invalid_argument);
  EXPECT_THROW(parts.set<float>(5, {}), std::out_of_range);
}

}  // namespace
}  // namespace flyball
