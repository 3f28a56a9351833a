#include "data/formats/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/files.h"
#include "data/data_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class IdxTest : public ::testing::Test {
 protected:
  // Five images of 2 × 3 whose bytes count up, labels 0 to 4.
  void SetUp() override {
    for (uint8_t i = 0; i < 30; ++i) images_.push_back(i);
    const std::vector<uint8_t> labels = {0, 1, 2, 3, 4};
    ASSERT_TRUE(write_idx(folder_.path(), Split::train, images_, labels, 2, 3).ok());
  }

  fs::path images() const { return folder_.path() / "train-images-idx3-ubyte"; }
  fs::path labels() const { return folder_.path() / "train-labels-idx1-ubyte"; }

  void gzip(const fs::path& path) const {
    const std::string content = *read_file(path);
    const gzFile out = gzopen((path.string() + ".gz").c_str(), "wb");
    gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
    gzclose(out);
    fs::remove(path);
  }

  void expect_error(const std::string& file, const std::string& what) const {
    const auto set = open_idx(folder_.path(), Split::train);
    ASSERT_FALSE(set.ok());
    EXPECT_THAT(set.error().message, HasSubstr(file));
    EXPECT_THAT(set.error().message, HasSubstr(what));
  }

  TemporaryFolder folder_;
  std::vector<uint8_t> images_;
};

TEST_F(IdxTest, ReadsWhatWasWritten) {
  const auto set = open_idx(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ((*set)->size(), 5);
  EXPECT_EQ((*set)->shape(), (std::array<int, 3>{1, 2, 3}));
  RawSample sample;
  ASSERT_TRUE((*set)->fetch(3, sample).ok());
  EXPECT_EQ(sample.label, 3);
  EXPECT_THAT(sample.bytes, ::testing::ElementsAre(18, 19, 20, 21, 22, 23));
}

TEST_F(IdxTest, HeaderIsTheOneOfMnist) {
  const std::string raw = *read_file(images());
  EXPECT_EQ(raw.substr(0, 16), std::string("\0\0\x08\x03\0\0\0\x05\0\0\0\x02\0\0\0\x03", 16));
  EXPECT_EQ(raw.size(), 16u + 30);
  EXPECT_EQ(read_file(labels())->substr(0, 8), std::string("\0\0\x08\x01\0\0\0\x05", 8));
}

TEST_F(IdxTest, ReadsGzippedFiles) {
  gzip(images());
  gzip(labels());
  const auto set = open_idx(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok()) << set.error().message;
  RawSample sample;
  ASSERT_TRUE((*set)->fetch(4, sample).ok());
  EXPECT_EQ(sample.label, 4);
  EXPECT_EQ(sample.bytes[0], 24);
}

TEST_F(IdxTest, NamesAMissingFile) {
  fs::remove(labels());
  expect_error("train-labels-idx1-ubyte", "No such file");
}

TEST_F(IdxTest, NamesATruncatedFile) {
  fs::resize_file(images(), 40);
  expect_error("train-images-idx3-ubyte", "has 40 bytes where its header tells of 46");
}

TEST_F(IdxTest, NamesAnEmptyFile) {
  fs::resize_file(images(), 0);
  expect_error("train-images-idx3-ubyte", "too few for an IDX header");
}

TEST_F(IdxTest, NamesABrokenGzip) {
  gzip(images());
  fs::resize_file(images().string() + ".gz", 30);
  expect_error("train-images-idx3-ubyte.gz", "broken gzip");
}

TEST_F(IdxTest, RefusesAnotherFormat) {
  ASSERT_TRUE(write_file(images(), "GIF89a and so on, long enough").ok());
  expect_error("train-images-idx3-ubyte", "begins with 0x47494638");
}

TEST_F(IdxTest, RefusesAHeaderThatOverflows) {
  ASSERT_TRUE(
      write_file(images(), std::string("\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                                       "\xff\xff",
                                       16))
          .ok());
  expect_error("train-images-idx3-ubyte", "a side of 4294967295 pixels");
}

TEST_F(IdxTest, RefusesUnequalCounts) {
  ASSERT_TRUE(write_file(labels(), std::string("\0\0\x08\x01\0\0\0\x02\0\1", 10)).ok());
  expect_error("train-labels-idx1-ubyte", "has 2 labels");
}

TEST_F(IdxTest, ALabelOutOfRangeIsAnErrorOfItsSample) {
  const auto set = open_idx(folder_.path(), Split::train, 4);
  ASSERT_TRUE(set.ok());
  RawSample sample;
  EXPECT_TRUE((*set)->fetch(3, sample).ok());
  const Status status = (*set)->fetch(4, sample);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("train-labels-idx1-ubyte: label 4 of sample 4"));
}

// As EMNIST has them. The test part may lack the last ones.
TEST_F(IdxTest, ClassesBeyondTenAreThoseOfTheTrainingLabels) {
  std::vector<uint8_t> labels(47);
  std::iota(labels.begin(), labels.end(), uint8_t{0});
  const std::vector<uint8_t> images(47 * 6);
  ASSERT_TRUE(write_idx(folder_.path(), Split::train, images, labels, 2, 3).ok());
  ASSERT_TRUE(write_idx(folder_.path(), Split::test, {images_.data(), 12},
                        std::vector<uint8_t>{46, 3}, 2, 3)
                  .ok());
  RawSample sample;
  const auto set = open_idx(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ((*set)->classes(), 47);
  EXPECT_TRUE((*set)->fetch(46, sample).ok());
  const auto part = open_idx(folder_.path(), Split::test);
  ASSERT_TRUE(part.ok()) << part.error().message;
  EXPECT_EQ((*part)->classes(), 47);
  EXPECT_TRUE((*part)->fetch(0, sample).ok());
}

TEST_F(IdxTest, OneWrongLabelMakesNoClasses) {
  ASSERT_TRUE(
      write_idx(folder_.path(), Split::train, images_, std::vector<uint8_t>{0, 1, 2, 3, 200}, 2, 3)
          .ok());
  const auto set = open_idx(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ((*set)->classes(), 10);
  RawSample sample;
  EXPECT_FALSE((*set)->fetch(4, sample).ok());
}

TEST_F(IdxTest, AFileThatShrinksAfterwardsIsAnErrorOfItsSamples) {
  const auto set = open_idx(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok());
  fs::resize_file(images(), 36);
  RawSample sample;
  EXPECT_TRUE((*set)->fetch(2, sample).ok());
  const Status status = (*set)->fetch(3, sample);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("train-images-idx3-ubyte ends at byte 36"));
}

}  // namespace
}  // namespace flyball
