#include "data/makers/check.h"
#include "data/makers/make.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/files.h"
#include "data/data_testing.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/pictures/picture_collate.h"
#include "data/text/question_collate.h"
#include "data/text/text_dataset.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const MakeOptions kSmall{.classes = 3, .size = {64, 48}};

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(folder).string()] = *read_file(entry.path());
  return files;
}

TEST(Unfinished, IsNoDataSetAndIsLeftByNothingThatFinishes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("images", 6, folder.path(), kSmall).ok());
  EXPECT_FALSE(fs::exists(folder.path() / unfinished_mark));
  ASSERT_TRUE(write_file(folder.path() / unfinished_mark, "").ok());
  const auto report = check_dataset(folder.path());
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("is not whole"));
  EXPECT_THAT(report.error().hint, HasSubstr("rm -r"));
  EXPECT_FALSE(open_dataset(folder.path(), Split::train).ok());
}

// Of text, or of pictures of 16 × 16 where they are cut.
Result<CollatePtr> small_collate(const Dataset& set) {
  if (row_tokens(set)) return open_question_collate(set, {.training = true});
  if (set.kind() == "wikitext") return open_text_collate(set, {.training = true});
  auto options = default_transform(set.kind(), true);
  if (options.crop != Crop::keep) options.size = 16;
  FLYBALL_ASSIGN(Transform transform, Transform::create(set, options));
  return make_picture_collate(std::move(transform));
}

class EachKind : public ::testing::TestWithParam<std::string> {};

TEST_P(EachKind, IsMadeDetectedOpenedLoadedAndClean) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset(GetParam(), 20, folder.path(), kSmall).ok());
  EXPECT_EQ(*detect_dataset(folder.path()), GetParam());
  const auto set = open_dataset(folder.path(), Split::train);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ((*set)->kind(), GetParam());
  const int64_t size = (*set)->size();
  EXPECT_TRUE(GetParam() == "squad" ? size > 20 : size == 20) << size;  // texts take several rows
  EXPECT_EQ(open_dataset(folder.path(), Split::test).ok(), GetParam() != "images");

  const auto collate = small_collate(**set);
  ASSERT_TRUE(collate.ok()) << collate.error().message;
  const auto loader = Loader::create(*set, *collate, {.batch_size = 7, .workers = 1});
  ASSERT_TRUE(loader.ok());
  (*loader)->start_epoch(0);
  int64_t count = 0;
  while (true) {
    const auto batch = (*loader)->next();
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    if (!batch->has_value()) break;
    count += (*batch)->view.count();
  }
  EXPECT_EQ(count, size);

  const auto report = check_dataset(folder.path());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->kind, GetParam());
  EXPECT_EQ(report->problem_count, 0);
  EXPECT_EQ(report->parts[0].samples, size);
  EXPECT_GT(report->parts[0].bytes, 20 * (GetParam() == "wikitext" ? 100 : 500));
  EXPECT_EQ(report->parts.size(), GetParam() == "images" ? 1u : 2u);
}

TEST_P(EachKind, DoesNotDependOnTheThreads) {
  const TemporaryFolder one, three;
  MakeOptions options = kSmall;
  options.threads = 1;
  ASSERT_TRUE(make_dataset(GetParam(), 30, one.path(), options).ok());
  options.threads = 3;
  ASSERT_TRUE(make_dataset(GetParam(), 30, three.path(), options).ok());
  EXPECT_EQ(contents(one.path()), contents(three.path()));
  const TemporaryFolder other;
  options.seed = 2;
  ASSERT_TRUE(make_dataset(GetParam(), 30, other.path(), options).ok());
  EXPECT_NE(contents(one.path()), contents(other.path()));
}

INSTANTIATE_TEST_SUITE_P(Catalog, EachKind, ::testing::ValuesIn(dataset_kinds()));

TEST(Catalog, MakeRefusesWhatItCannotDo) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& kind, int64_t samples, MakeOptions options = {}) {
    const Status status = make_dataset(kind, samples, folder.path(), options);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_THAT(error("pictures", 10), HasSubstr("no data set of kind 'pictures'"));
  EXPECT_THAT(error("images", 0), HasSubstr("0 samples"));
  EXPECT_THAT(error("images", 1, {.size = {2, 2}}), HasSubstr("of that size"));
  EXPECT_THAT(error("cifar10", 3), HasSubstr("at least 5"));
  ASSERT_TRUE(write_file(folder.path() / "mine.txt", "precious").ok());
  EXPECT_THAT(error("images", 10), HasSubstr("is not empty"));
  EXPECT_EQ(contents(folder.path()).size(), 1u);
}

TEST(Catalog, DetectSaysWhatItLooksFor) {
  const TemporaryFolder folder;
  const auto nothing = detect_dataset(folder.path());
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.error().hint, HasSubstr("CIFAR-10"));
  const auto missing = detect_dataset(folder.path() / "gone");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::not_found);
  ASSERT_TRUE(write_file(folder.path() / "file", "x").ok());
  EXPECT_THAT(detect_dataset(folder.path() / "file").error().message, HasSubstr("not a folder"));
}

TEST(Catalog, CheckSaysWhatIsBrokenAndWhere) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("images", 9, folder.path(), kSmall).ok());
  const fs::path root = folder.path();
  fs::resize_file(root / "class_000/000003.jpg", 700);
  fs::resize_file(root / "class_001/000004.jpg", 0);
  fs::copy_file(test_file("cmyk.jpg"), root / "class_002/cmyk.jpg");
  ASSERT_TRUE(write_file(root / "class_002/photo.png", "x").ok());
  const auto report = check_dataset(root, 2);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->parts[0].samples, 10);
  EXPECT_EQ(report->parts[0].smallest_class, 2);
  EXPECT_EQ(report->parts[0].largest_class, 3);
  ASSERT_EQ(report->problem_count, 3);
  EXPECT_THAT(report->problems[0].message,
              HasSubstr("class_000/000003.jpg: the JPEG is truncated"));
  EXPECT_THAT(report->problems[1].message, HasSubstr("class_001/000004.jpg is empty"));
  EXPECT_THAT(report->problems[2].message, HasSubstr("class_002/cmyk.jpg: the JPEG has 4 colour"));
  ASSERT_EQ(report->ignored.size(), 1u);
  EXPECT_THAT(report->ignored[0], HasSubstr("class_002/photo.png"));
}

TEST(Catalog, CheckTakesGreyPicturesAsTrainingDoes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("images", 9, folder.path(), kSmall).ok());
  fs::copy_file(test_file("grey.jpg"), folder.path() / "class_002/grey.jpg");
  const auto report = check_dataset(folder.path(), 2);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->problem_count, 0);
  EXPECT_EQ(report->parts[0].largest_class, 4);
}

TEST(Catalog, CheckReportsAPartWhoseLabelsAreNoClasses) {
  const TemporaryFolder folder;
  ASSERT_TRUE(
      write_file(folder.path() / "train.csv", "user_id,image_id,class\n1,a,-1\n1,b,-2\n").ok());
  fs::create_directory(folder.path() / "images");
  const auto report = check_dataset(folder.path());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->kind, "gld23k");
  EXPECT_EQ(report->problem_count, 2);
  EXPECT_THAT(report->problems[0].message, HasSubstr("label -1 is out of range"));
  EXPECT_EQ(report->parts[0].classes, 0);
}

TEST(Catalog, CheckReportsAPartThatCannotBeOpened) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("digits", 60, folder.path()).ok());
  fs::remove(folder.path() / "t10k-labels-idx1-ubyte");
  const auto report = check_dataset(folder.path());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->parts.size(), 1u);
  ASSERT_EQ(report->problem_count, 1);
  EXPECT_THAT(report->problems[0].message, HasSubstr("t10k-labels-idx1-ubyte"));
}

}  // namespace
}  // namespace flyball
