#include "data/formats/jpeg_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "data/data_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void put(const fs::path& path, const std::string& content = "x") {
  ASSERT_TRUE(write_file(path, content).ok());
}

std::vector<std::string> names(const Dataset& set, const fs::path& root) {
  std::vector<std::string> found;
  for (int64_t i = 0; i < set.size(); ++i)
    found.push_back(fs::path(set.name(i)).lexically_relative(root).string());
  return found;
}

std::vector<int64_t> labels(const Dataset& set) {
  std::vector<int64_t> found;
  RawSample sample;
  for (int64_t i = 0; i < set.size(); ++i)
    found.push_back(set.fetch(i, sample).ok() ? sample.label : -1);
  return found;
}

TEST(ImageFolder, ClassesAreTheSubFoldersInOrder) {
  const TemporaryFolder folder;
  put(folder.path() / "dog/b.JPEG");
  put(folder.path() / "dog/a.jpg");
  put(folder.path() / "cat/deep/er/c.jpg");
  put(folder.path() / "cat/notes.txt");
  put(folder.path() / "outside.jpg");
  fs::create_directories(folder.path() / "empty");
  const auto set = open_image_folder(folder.path(), Split::train);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ((*set)->classes(), 3);
  EXPECT_THAT(names(**set, folder.path()),
              ElementsAre("cat/deep/er/c.jpg", "dog/a.jpg", "dog/b.JPEG"));
  EXPECT_THAT(labels(**set), ElementsAre(0, 1, 1));
  const auto test = open_image_folder(folder.path(), Split::test);
  ASSERT_FALSE(test.ok());
  EXPECT_THAT(test.error().message, HasSubstr("has no test part"));
}

TEST(ImageFolder, TrainAndValHaveTheClassesOfTrain) {
  const TemporaryFolder folder;
  put(folder.path() / "train/a/1.jpg");
  put(folder.path() / "train/b/1.jpg");
  put(folder.path() / "val/b/2.jpg");
  put(folder.path() / "val/unknown/2.jpg");
  const auto train = open_image_folder(folder.path(), Split::train);
  const auto test = open_image_folder(folder.path(), Split::test);
  ASSERT_TRUE(train.ok());
  ASSERT_TRUE(test.ok());
  EXPECT_EQ((*train)->size(), 2);
  EXPECT_EQ((*test)->classes(), 2);
  EXPECT_THAT(labels(**test), ElementsAre(1, -1));
}

TEST(ImageFolder, WithoutPicturesIsAnError) {
  const TemporaryFolder folder;
  put(folder.path() / "a/readme.txt");
  const auto set = open_image_folder(folder.path(), Split::train);
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().message, HasSubstr(folder.path().string() + " holds no JPEG"));
}

TEST(ImageFolder, ThatIsNotThereIsAnError) {
  const auto set = open_image_folder("/nonexistent/folder", Split::train);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code, Code::not_found);
  EXPECT_THAT(set.error().message, HasSubstr("/nonexistent/folder"));
}

TEST(Gld23k, ReadsTheMappingAndBothLayouts) {
  const TemporaryFolder folder;
  put(folder.path() / "data_user_dict/gld23k_user_dict_train.csv",
      "user_id,image_id,class\n0,aa11,4\n0,bb22,0\n1,cc33,2\n");
  put(folder.path() / "data_user_dict/gld23k_user_dict_test.csv", "image_id,class\ndd44,7\n");
  put(folder.path() / "images/aa11.jpg");
  put(folder.path() / "images/b/b/2/bb22.jpg");
  put(folder.path() / "images/dd44.jpg");
  const auto train = open_gld23k(folder.path(), Split::train);
  ASSERT_TRUE(train.ok()) << train.error().message;
  EXPECT_EQ((*train)->classes(), 5);
  EXPECT_THAT(names(**train, folder.path()),
              ElementsAre("images/aa11.jpg", "images/b/b/2/bb22.jpg", "images/cc33.jpg"));
  EXPECT_THAT(labels(**train), ElementsAre(4, 0, -1));
  const auto test = open_gld23k(folder.path(), Split::test);
  ASSERT_TRUE(test.ok());
  EXPECT_EQ((*test)->classes(), 5);  // those of training, so that 7 is out of range
  EXPECT_THAT(labels(**test), ElementsAre(-1));
  EXPECT_THAT(labels(**open_gld23k(folder.path(), Split::test, 203)), ElementsAre(7));
}

TEST(Gld23k, BadRowsAreNamedByFileLineAndColumn) {
  const auto message = [](const std::string& text) {
    const auto files = parse_gld23k(text, "train.csv");
    return files.ok() ? "" : files.error().message;
  };
  EXPECT_EQ(message("user_id,image_id,class\n0,a,1\n"), "");
  EXPECT_THAT(message("user_id,image,class\n0,a,1\n"), HasSubstr("no column 'image_id'"));
  EXPECT_THAT(message("image_id,class\na,1\nb,dog\n"),
              HasSubstr("train.csv:3: column 'class': 'dog' is not a class number"));
  EXPECT_THAT(message("image_id,class\n../../etc/passwd,1\n"),
              HasSubstr("train.csv:2: column 'image_id'"));
  EXPECT_THAT(message("image_id,class\na\n"), HasSubstr("train.csv:2"));
  EXPECT_THAT(message("image_id,class\n"), HasSubstr("lists no pictures"));
  EXPECT_THAT(message(""), HasSubstr("train.csv is empty"));
}

TEST(Gld23k, ALabelBeyondReasonIsAnErrorOfItsSample) {
  const TemporaryFolder folder;
  put(folder.path() / "train.csv",
      "user_id,image_id,class\n0,a,1\n0,b,9000000000000000000\n0,c,-1\n");
  for (const char* id : {"a", "b", "c"}) put(folder.path() / "images" / (std::string(id) + ".jpg"));
  const auto set = open_gld23k(folder.path(), Split::train);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ((*set)->classes(), 2);
  EXPECT_THAT(labels(**set), ElementsAre(1, -1, -1));
}

TEST(JpegFiles, KnowsTheirNames) {
  EXPECT_TRUE(is_jpeg_name("a.jpg"));
  EXPECT_TRUE(is_jpeg_name("a.b.JPeG"));
  EXPECT_FALSE(is_jpeg_name("jpg"));
  EXPECT_FALSE(is_jpeg_name("a.png"));
}

}  // namespace
}  // namespace flyball
