#include "data/pictures/jpeg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"
#include "data/data_testing.h"
#include "data/makers/synthetic.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

std::string error_of(const Bytes& bytes) {
  JpegReader reader;
  const auto info = reader.open(bytes);
  if (!info.ok()) return info.error().message;
  const auto pixels = reader.read({0, 0, info->width, info->height});
  return pixels.ok() ? "" : pixels.error().message;
}

TEST(Jpeg, ReadsTheHeader) {
  JpegReader reader;
  const Bytes photo = test_bytes("photo.jpg"), grey = test_bytes("grey.jpg");
  auto info = reader.open(photo);
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(info->width, 500);
  EXPECT_EQ(info->height, 375);
  EXPECT_EQ(info->channels, 3);
  info = reader.open(grey);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->channels, 1);
}

TEST(Jpeg, ARegionEqualsThatPartOfTheWhole) {
  const Bytes photo = test_bytes("photo.jpg"), odd = test_bytes("odd.jpg");
  for (const Bytes& file : {photo, odd}) {
    JpegReader whole_reader, reader;
    const auto info = whole_reader.open(file);
    const auto whole = whole_reader.read({0, 0, info->width, info->height});
    ASSERT_TRUE(whole.ok());
    for (const Box box : {Box{0, 0, 40, 30}, Box{17, 33, 80, 60}, Box{16, 16, 32, 16},
                          Box{info->width - 50, info->height - 40, 50, 40}, Box{31, 15, 1, 1},
                          Box{0, 50, info->width, 1}}) {
      ASSERT_TRUE(reader.open(file).ok());
      const auto part = reader.read(box);
      ASSERT_TRUE(part.ok()) << part.error().message;
      int worst = 0;
      for (int y = 0; y < box.height; ++y)
        for (int i = 0; i < 3 * box.width; ++i) {
          const int got = part->data[static_cast<size_t>(y) * part->stride + i];
          const int want =
              whole->data[static_cast<size_t>(box.top + y) * whole->stride + 3 * box.left + i];
          worst = std::max(worst, std::abs(got - want));
        }
      EXPECT_EQ(worst, 0) << box.left << "," << box.top;
    }
  }
}

TEST(Jpeg, ATruncatedFileIsAnErrorWhereverItEnds) {
  const Bytes photo = test_bytes("photo.jpg");
  for (size_t length : {0, 1, 2, 100, 400, 700, 1000, 30'000, 73'000}) {
    EXPECT_NE(error_of(Bytes(photo.begin(), photo.begin() + static_cast<ptrdiff_t>(length))), "")
        << length;
  }
  EXPECT_THAT(error_of(Bytes(photo.begin(), photo.begin() + 30'000)), HasSubstr("truncated"));
  EXPECT_EQ(error_of({}), "the file is empty");
}

TEST(Jpeg, ATailOfZerosIsAnError) {
  Bytes photo = test_bytes("photo.jpg");
  std::fill(photo.begin() + 40'000, photo.end(), 0);
  EXPECT_THAT(error_of(photo), HasSubstr("truncated"));
}

TEST(Jpeg, TruncationIsSeenEvenWhereOnlyTheTopIsWanted) {
  Bytes photo = test_bytes("photo.jpg");
  photo.resize(photo.size() - 10);
  JpegReader reader;
  EXPECT_FALSE(reader.open(photo).ok());
}

TEST(Jpeg, BytesAfterTheEndDoNotMatter) {
  Bytes photo = test_bytes("photo.jpg");
  photo.insert(photo.end(), 5000, 7);
  EXPECT_EQ(error_of(photo), "");
}

TEST(Jpeg, DamageInTheMiddleIsAnErrorAndTheReaderGoesOn) {
  const Bytes photo = test_bytes("photo.jpg");
  Bytes damaged = photo;
  std::fill(damaged.begin() + 20'000, damaged.begin() + 20'400, 0xff);
  EXPECT_THAT(error_of(damaged), HasSubstr("damaged JPEG"));
  JpegReader reader;
  ASSERT_TRUE(reader.open(damaged).ok());
  EXPECT_FALSE(reader.read({0, 0, 500, 375}).ok());
  ASSERT_TRUE(reader.open(photo).ok());
  EXPECT_TRUE(reader.read({0, 0, 500, 375}).ok());
}

TEST(Jpeg, AnotherFormatIsAnError) {
  EXPECT_THAT(error_of(Bytes{'G', 'I', 'F', '8', '9', 'a', 0, 0}),
              HasSubstr("not a readable JPEG"));
}

TEST(Jpeg, AHugePictureIsAnError) {
  Bytes photo = test_bytes("photo.jpg");
  for (size_t i = 0; i + 8 < photo.size(); ++i)
    if (photo[i] == 0xff && photo[i + 1] == 0xc0) {  // start of frame: height, then width
      photo[i + 5] = photo[i + 6] = photo[i + 7] = photo[i + 8] = 0xf0;
      break;
    }
  EXPECT_THAT(error_of(photo), HasSubstr("more than 100 million"));
}

TEST(Jpeg, EncodesWhatItDecodes) {
  const Bytes rgb = draw_picture(1, 2, 3, {120, 80});
  const auto file = encode_jpeg(rgb, 120, 80, 95);
  ASSERT_TRUE(file.ok());
  JpegReader reader;
  ASSERT_TRUE(reader.open(*file).ok());
  const auto pixels = reader.read({0, 0, 120, 80});
  ASSERT_TRUE(pixels.ok());
  double difference = 0;
  for (size_t i = 0; i < rgb.size(); ++i) difference += std::abs(rgb[i] - pixels->data[i]);
  EXPECT_LT(difference / static_cast<double>(rgb.size()), 12);
}

TEST(Synthetic, PicturesWeighWhatPhotographsWeigh) {
  size_t bytes = 0;
  for (int i = 0; i < 8; ++i) bytes += encode_jpeg(draw_picture(1, i, i, {}), 500, 375, 90)->size();
  EXPECT_GT(bytes / 8, 60'000u);
  EXPECT_LT(bytes / 8, 90'000u);
}

TEST(Synthetic, DependsOnItsArgumentsOnly) {
  const PictureSize size{60, 50};
  EXPECT_EQ(draw_picture(1, 2, 3, size), draw_picture(1, 2, 3, size));
  EXPECT_NE(draw_picture(1, 2, 3, size), draw_picture(1, 3, 3, size));
  EXPECT_NE(draw_picture(1, 2, 3, size), draw_picture(1, 2, 4, size));
  EXPECT_NE(draw_picture(1, 2, 3, size), draw_picture(2, 2, 3, size));
}

}  // namespace
}  // namespace flyball
