#include "data/formats/cifar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "data/data_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CifarTest : public ::testing::Test {
 protected:
  // Twelve images filled with their number, in files of 2, 2, 3, 2 and 3 records.
  void SetUp() override {
    std::vector<uint8_t> images(12 * kCifarPixels), labels(12);
    for (size_t i = 0; i < 12; ++i) {
      labels[i] = static_cast<uint8_t>(i % 10);
      std::fill_n(images.begin() + static_cast<ptrdiff_t>(i * kCifarPixels), kCifarPixels,
                  static_cast<uint8_t>(i));
    }
    ASSERT_TRUE(write_cifar10(folder_.path(), Split::train, images, labels).ok());
  }

  fs::path file(int i) const {
    return folder_.path() / ("data_batch_" + std::to_string(i) + ".bin");
  }
  std::string open_error() const {
    const auto set = open_cifar10(folder_.path(), Split::train);
    return set.ok() ? "" : set.error().message;
  }

  TemporaryFolder folder_;
};

TEST_F(CifarTest, ReadsAcrossItsFiles) {
  const auto set = open_cifar10(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ((*set)->size(), 12);
  EXPECT_EQ((*set)->files().size(), 5u);
  RawSample sample;
  for (int64_t i : {11, 0, 5, 3, 4}) {
    ASSERT_TRUE((*set)->fetch(i, sample).ok());
    EXPECT_EQ(sample.label, i % 10);
    EXPECT_EQ(sample.bytes, std::vector<uint8_t>(kCifarPixels, static_cast<uint8_t>(i)));
  }
  EXPECT_THAT((*set)->name(11), HasSubstr("data_batch_5.bin record 2"));
}

TEST_F(CifarTest, FindsTheFolderOfTheArchive) {
  const TemporaryFolder outer;
  fs::rename(folder_.path(), outer.path() / "cifar-10-batches-bin");
  EXPECT_TRUE(has_cifar10(outer.path(), Split::train));
  EXPECT_FALSE(has_cifar10(outer.path(), Split::test));
  EXPECT_TRUE(open_cifar10(outer.path(), Split::train).ok());
}

TEST_F(CifarTest, NamesAMissingFile) {
  fs::remove(file(3));
  EXPECT_THAT(open_error(), HasSubstr("data_batch_3.bin: No such file"));
}

TEST_F(CifarTest, NamesATruncatedFile) {
  fs::resize_file(file(2), 5000);
  EXPECT_THAT(open_error(), HasSubstr("data_batch_2.bin has 5000 bytes"));
}

TEST_F(CifarTest, NamesAnEmptyFile) {
  fs::resize_file(file(4), 0);
  EXPECT_THAT(open_error(), HasSubstr("data_batch_4.bin has 0 bytes"));
}

TEST_F(CifarTest, ALabelOutOfRangeIsAnErrorOfItsSample) {
  std::string content = *read_file(file(1));
  content[3073] = 10;
  ASSERT_TRUE(write_file(file(1), content).ok());
  const auto set = open_cifar10(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok());
  RawSample sample;
  EXPECT_TRUE((*set)->fetch(0, sample).ok());
  const Status status = (*set)->fetch(1, sample);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("data_batch_1.bin record 1: label 10"));
}

}  // namespace
}  // namespace flyball
