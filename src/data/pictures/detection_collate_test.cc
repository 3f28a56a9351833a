#include "data/pictures/detection_collate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/files.h"
#include "data/data_testing.h"
#include "data/formats/coco.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/coco_maker.h"
#include "data/makers/write_pictures.h"
#include "data/pictures/picture_collate.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Letterbox, TouchesTwoSidesAndStandsInTheMiddle) {
  const auto numbers = [](const Letterbox& l) {
    return std::vector<int>{l.width, l.height, l.left, l.top};
  };
  EXPECT_THAT(numbers(letterbox(640, 480, 640)), ElementsAre(640, 480, 0, 80));
  EXPECT_THAT(numbers(letterbox(480, 640, 640)), ElementsAre(480, 640, 80, 0));
  EXPECT_THAT(numbers(letterbox(500, 375, 640)), ElementsAre(640, 480, 0, 80));
  EXPECT_THAT(numbers(letterbox(1280, 1280, 640)), ElementsAre(640, 640, 0, 0));
  EXPECT_THAT(numbers(letterbox(1000, 1, 640)), ElementsAre(640, 1, 0, 319));
}

// A picture of one colour with a rectangle of another one in it.
RawSample rectangle(int width, int height, const CocoBox& box) {
  std::vector<uint8_t> rgb(static_cast<size_t>(width) * static_cast<size_t>(height) * 3, 40);
  for (int y = static_cast<int>(box.top); y < static_cast<int>(box.top + box.height); ++y)
    for (int x = static_cast<int>(box.left); x < static_cast<int>(box.left + box.width); ++x)
      rgb[(static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) * 3] = 220;
  RawSample sample;
  sample.encoding = Encoding::jpeg;
  sample.bytes = *encode_jpeg(rgb, width, height, 95);
  const auto boxes = sample.parts.set<float>(CocoSet::boxes, {1, 4});
  boxes[0] = box.left, boxes[1] = box.top, boxes[2] = box.width, boxes[3] = box.height;
  sample.parts.set<int64_t>(CocoSet::box_class, {1})[0] = box.label;
  const auto size = sample.parts.set<int64_t>(CocoSet::picture_size, {2});
  size[0] = width, size[1] = height;
  return sample;
}

// A set that only says what its samples have.
class BoxedSet final : public Dataset {
 public:
  std::string kind() const override { return "boxed"; }
  int64_t size() const override { return 1; }
  int64_t classes() const override { return 9; }
  std::array<int, 3> shape() const override { return {3, 0, 0}; }
  std::vector<TensorSpec> parts() const override {
    return {{"boxes", DType::float32, {4}, RowLayout::packed, 6},
            {"box_class", DType::int64, {}, RowLayout::packed, 6},
            {"picture_size", DType::int64, {2}}};
  }
  Status fetch(int64_t, RawSample&) const override { return {}; }
  std::string name(int64_t) const override { return "sample"; }
  std::vector<fs::path> files() const override { return {}; }
};

// One sample through the collate.
struct Collated {
  Collated(const RawSample& sample, uint64_t seed, const DetectionOptions& options)
      : collate(*make_detection_collate(BoxedSet(), options)),
        buffer(*BatchBuffer::create(collate->layout(), 2)) {
    const auto scratch = collate->scratch();
    status = collate->add(sample, seed, scratch.get(), buffer);
    if (!status.ok()) return;
    buffer.commit();
    EXPECT_TRUE(collate->finish(buffer).ok());
  }
  CollatePtr collate;
  BatchBuffer buffer;
  Status status;
};

// The pixels (of the first channel) that are more than halfway bright.
std::vector<float> bright_box(std::span<const float> image, int size) {
  int left = size, right = 0, top = size, bottom = 0;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      if (image[static_cast<size_t>(y * size + x)] < 0.52f) continue;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
    }
  return {static_cast<float>(left), static_cast<float>(top), static_cast<float>(right),
          static_cast<float>(bottom)};
}

TEST(DetectionCollate, BoxesStayOnWhatTheyHoldWhenScaledAndFlipped) {
  const RawSample sample = rectangle(120, 80, {10, 20, 30, 16, 5});
  bool flipped = false, straight = false;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Collated made(sample, seed, {.size = 96, .flip = true});
    ASSERT_TRUE(made.status.ok()) << made.status.error().message;
    const BatchView view = made.buffer.view();
    const auto box = view.values<float>(box_tensor);
    const bool mirrored = box[0] > 40;
    flipped |= mirrored, straight |= !mirrored;
    const float left = mirrored ? 64 : 8;
    EXPECT_THAT(box, ElementsAre(left, 32, left + 24, testing::FloatNear(44.8f, 1e-4f)));
    EXPECT_THAT(view.values<int64_t>(box_class_tensor), ElementsAre(5));
    EXPECT_THAT(view.values<bool>(box_mask_tensor), ElementsAre(true));
    const auto seen = bright_box(view.values<float>(image_tensor), 96);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(seen[i], box[i], 1) << i;
  }
  EXPECT_TRUE(flipped && straight);
}

TEST(DetectionCollate, TheBorderIsGreyAndThePictureItself) {
  Collated made(rectangle(120, 80, {10, 20, 30, 16, 5}), 1, {.size = 96});
  const BatchView view = made.buffer.view();
  EXPECT_EQ(view.find(image_tensor)->shape, (TensorShape{1, 3, 96, 96}));
  const auto image = view.values<float>(image_tensor);
  for (size_t c = 0; c < 3; ++c)
    for (size_t y = 0; y < 96; ++y)
      for (size_t x = 0; x < 96; x += 5) {
        const float value = image[(c * 96 + y) * 96 + x];
        if (y < 16 || y >= 80) {
          EXPECT_FLOAT_EQ(value, 114.0f / 255);
        } else if (x > 45) {
          EXPECT_NEAR(value, 40.0f / 255, 0.03) << c << " " << y << " " << x;
        }
      }
}

TEST(DetectionCollate, ColourJitterChangesColoursByItsSeedAlone) {
  const RawSample sample = rectangle(96, 96, {16, 16, 64, 64, 1});
  const DetectionOptions options{.size = 96, .hue = 0.1, .saturation = 0.5, .brightness = 0.4};
  std::set<float> greens;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Collated once(sample, seed, options), again(sample, seed, options);
    const auto one = once.buffer.view().values<float>(image_tensor);
    const auto other = again.buffer.view().values<float>(image_tensor);
    EXPECT_TRUE(std::ranges::equal(one, other));
    EXPECT_GE(std::ranges::min(one), 0.0f);
    EXPECT_LE(std::ranges::max(one), 1.0f);
    greens.insert(one[96 * 96 + 48 * 96 + 48]);
  }
  EXPECT_EQ(greens.size(), 8u);
  // Greys stay greys: hue and saturation turn about them, brightness moves them together.
  Collated grey(rectangle(96, 96, {0, 0, 1, 1, 1}), 5, options);
  const auto image = grey.buffer.view().values<float>(image_tensor);
  const size_t at = 60 * 96 + 60, plane = 96 * 96;
  EXPECT_NEAR(image[at], image[at + plane], 0.01);
  EXPECT_NEAR(image[at], image[at + 2 * plane], 0.01);
  EXPECT_GT(std::abs(image[at] - 40.0f / 255), 0.005);
}

TEST(DetectionCollate, PaddingIsMaskedAndAsLongAsTheMostOfTheMinibatch) {
  const auto collate = *make_detection_collate(BoxedSet(), {.size = 32});
  auto buffer = *BatchBuffer::create(collate->layout(), 3);
  const auto scratch = collate->scratch();
  for (int round = 0; round < 2; ++round) {
    buffer.clear();
    for (const int64_t count : {1 + round, 0, 3 - 2 * round}) {
      RawSample sample = rectangle(32, 32, {4, 4, 8, 8, 2});
      const auto boxes = sample.parts.set<float>(CocoSet::boxes, {count, 4});
      std::ranges::fill(boxes, 8.0f);
      std::ranges::fill(sample.parts.set<int64_t>(CocoSet::box_class, {count}), 7);
      ASSERT_TRUE(collate->add(sample, 1, scratch.get(), buffer).ok());
      buffer.commit();
    }
    ASSERT_TRUE(collate->finish(buffer).ok());
    const BatchView view = buffer.view();
    const int64_t most = round == 0 ? 3 : 2;
    EXPECT_EQ(view.find(box_tensor)->shape, (TensorShape{3, most, 4}));
    const auto mask = view.values<bool>(box_mask_tensor);
    const auto label = view.values<int64_t>(box_class_tensor);
    const auto box = view.values<float>(box_tensor);
    const std::vector<int64_t> counts = {1 + round, 0, 3 - 2 * round};
    for (size_t i = 0; i < mask.size(); ++i) {
      const auto place = static_cast<int64_t>(i) % most;
      EXPECT_EQ(mask[i], place < counts[i / static_cast<size_t>(most)]);
      EXPECT_EQ(label[i], mask[i] ? 7 : 0);
      EXPECT_EQ(box[4 * i + 2], mask[i] ? 16.0f : 0.0f);
    }
  }
  EXPECT_THROW(buffer.view().values<int64_t>(box_tensor), std::invalid_argument);
}

TEST(DetectionCollate, GreyPicturesAreTakenOthersRefused) {
  RawSample sample = rectangle(32, 32, {4, 4, 8, 8, 2});
  const auto size = sample.parts.set<int64_t>(CocoSet::picture_size, {2});
  const auto complaint = [&](const std::string& file, int64_t width, int64_t height) {
    sample.bytes = test_bytes(file);
    size[0] = width, size[1] = height;
    Collated made(sample, 1, {.size = 32});
    return made.status.ok() ? "accepted" : made.status.error().message;
  };
  JpegReader reader;
  const auto grey = test_bytes("grey.jpg"), cmyk = test_bytes("cmyk.jpg");
  const JpegInfo of_grey = *reader.open(grey);
  EXPECT_EQ(complaint("grey.jpg", of_grey.width, of_grey.height), "accepted");
  EXPECT_THAT(complaint("grey.jpg", 1, 2), HasSubstr("its annotations say 1 × 2"));
  const JpegInfo of_cmyk = *reader.open(cmyk);
  EXPECT_EQ(complaint("cmyk.jpg", of_cmyk.width, of_cmyk.height),
            "the JPEG has 4 colour channels where 3, or 1 of a grey one, are expected");
}

TEST(DetectionCollate, RefusesWhatItCannotDo) {
  const auto complaint = [](const Dataset& set, DetectionOptions options) {
    const auto made = make_detection_collate(set, options);
    return made.ok() ? "accepted" : made.error().message;
  };
  EXPECT_EQ(complaint(ShapedSet({3, 8, 8}), {}), "a dataset of kind 'shape' holds no boxes");
  EXPECT_EQ(complaint(BoxedSet(), {.size = 100}), "images of 100 × 100 pixels");
  EXPECT_EQ(complaint(BoxedSet(), {.hue = 1}), "a colour jitter out of range");
  EXPECT_EQ(complaint(BoxedSet(), {.size = 64}), "accepted");
  const auto classes = open_picture_collate(BoxedSet(), {.training = true});
  ASSERT_FALSE(classes.ok());
  EXPECT_THAT(classes.error().message, HasSubstr("does not say what each picture shows"));
}

TEST(DetectionCollate, TakesAnotherSizeThatTheNetworkCanHalve) {
  const auto small = open_detection_collate(BoxedSet(), {.training = true, .image_size = 160});
  ASSERT_TRUE(small.ok());
  EXPECT_EQ((*small)->layout().front().shape, (TensorShape{3, 160, 160}));
  const auto odd = open_detection_collate(BoxedSet(), {.training = true, .image_size = 100});
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().message, "pictures cannot become 100 wide");
  EXPECT_THAT(odd.error().hint, HasSubstr("multiple of 32"));
}

// Names, shapes and bytes of all minibatches of two epochs.
std::string bits(const DatasetPtr& set, int workers) {
  const auto collate = make_detection_collate(
      *set, {.size = 64, .flip = true, .hue = 0.1, .saturation = 0.5, .brightness = 0.4});
  const auto loader =
      Loader::create(set, *collate, {.batch_size = 5, .workers = workers, .seed = 3});
  EXPECT_TRUE(loader.ok());
  std::string all;
  for (int epoch = 0; epoch < 2; ++epoch) {
    (*loader)->start_epoch(epoch);
    while (const auto batch = *(*loader)->next())
      for (const TensorView& tensor : batch->view.tensors) {
        all += std::string(tensor.name) + tensor.shape.text();
        all.append(reinterpret_cast<const char*>(tensor.data),
                   static_cast<size_t>(tensor.shape.elements()) * dtype_bytes(tensor.dtype));
      }
  }
  return all;
}

TEST(DetectionCollate, DataAreTheSameBitsWithAnyNumberOfWorkers) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("coco", 23, folder.path(), {.classes = 4, .size = {64, 48}}).ok());
  const auto set = *open_dataset(folder.path(), Split::train);
  const std::string one = bits(set, 0);
  EXPECT_GT(one.size(), 2u * 23 * 3 * 64 * 64 * 4);
  for (const int workers : {1, 3}) EXPECT_EQ(bits(set, workers), one) << workers;
}

// Both policies, with a fault in the annotations.
TEST(DetectionCollate, AFaultySampleIsNamedOrSkipped) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("coco", 10, folder.path(), {.classes = 4, .size = {64, 48}}).ok());
  const fs::path path = folder / "annotations/instances_train2017.json";
  std::string text = *read_file(path);
  text.replace(text.find("\"bbox\":["), 8, "\"bbox\":[-900,");
  ASSERT_TRUE(write_file(path, text).ok());
  const auto set = *open_dataset(folder.path(), Split::train);
  const auto collate = *make_detection_collate(*set, {.size = 32});
  for (const int workers : {0, 2}) {
    auto failing = *Loader::create(set, collate, {.batch_size = 10, .workers = workers});
    failing->start_epoch(0);
    const auto failed = failing->next();
    ASSERT_FALSE(failed.ok());
    EXPECT_THAT(failed.error().message,
                HasSubstr("instances_train2017.json: annotations[0] has a box of 5 numbers"));
    auto skipping = *Loader::create(
        set, collate, {.batch_size = 10, .workers = workers, .on_bad_sample = OnBadSample::skip});
    skipping->start_epoch(0);
    const auto batch = skipping->next();
    ASSERT_TRUE(batch.ok() && batch->has_value());
    EXPECT_EQ((*batch)->view.count(), 9);
    EXPECT_EQ(skipping->skipped(), 1);
  }
}

}  // namespace
}  // namespace flyball
