// Every way in which a sample can be bad, through the loader, under both policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/files.h"
#include "data/data_testing.h"
#include "data/formats/jpeg_files.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/make.h"
#include "data/pictures/picture_collate.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Damage {
  std::string name;                               ///< of the test
  std::function<void(const fs::path& file)> act;  ///< breaks one picture of the set
  std::string reason;                             ///< what the error must say
};

void PrintTo(const Damage& damage, std::ostream* out) {
  *out << damage.name;
}

void replace_by(const fs::path& file, const std::string& with) {
  fs::copy_file(test_file(with), file, fs::copy_options::overwrite_existing);
}

// Reading memory where nothing is mapped fails as a bad disk does: with EIO, after open succeeded.
void replace_by_bad_disk(const fs::path& file) {
  fs::remove(file);
  fs::create_symlink("/proc/self/mem", file);
}

const Damage kDamages[] = {
    {"TruncatedJpeg", [](const fs::path& f) { fs::resize_file(f, 900); }, "truncated"},
    {"CmykJpeg", [](const fs::path& f) { replace_by(f, "cmyk.jpg"); }, "4 colour channels where 3"},
    {"ZeroBytes", [](const fs::path& f) { fs::resize_file(f, 0); }, "is empty"},
    {"MissingFile", [](const fs::path& f) { fs::remove(f); }, "No such file"},
    {"DiskError", replace_by_bad_disk, "Input/output error"},
    {"NoJpeg", [](const fs::path& f) { ASSERT_TRUE(write_file(f, "<html>404</html>").ok()); },
     "not a readable JPEG"},
    {"AFolder",
     [](const fs::path& f) {
       fs::remove(f);
       fs::create_directory(f);
     },
     "Is a directory"},
};

std::unique_ptr<Loader> loader_that(const DatasetPtr& set, int workers, OnBadSample policy) {
  const auto transform =
      Transform::create(*set, {.crop = Crop::random_resized, .size = 16, .flip = true});
  EXPECT_TRUE(transform.ok());
  auto loader = Loader::create(set, make_picture_collate(*transform),
                               {.batch_size = 4, .workers = workers, .on_bad_sample = policy});
  EXPECT_TRUE(loader.ok());
  return *std::move(loader);
}

// The samples of an epoch, or its error.
Result<int64_t> samples_of(Loader& loader) {
  loader.start_epoch(0);
  int64_t count = 0;
  while (true) {
    const auto batch = loader.next();
    if (!batch.ok()) return batch.error();
    if (!batch->has_value()) return count;
    count += (*batch)->view.count();
  }
}

class BadSampleTest : public ::testing::TestWithParam<Damage> {};

TEST_P(BadSampleTest, IsNamedOrSkipped) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("images", 10, folder.path(), {.classes = 2, .size = {64, 48}}).ok());
  const auto set = open_dataset(folder.path(), Split::train);
  ASSERT_TRUE(set.ok());
  const fs::path victim = (*set)->name(6);
  GetParam().act(victim);
  for (const int workers : {0, 2}) {
    const auto failing = loader_that(*set, workers, OnBadSample::fail);
    const auto failed = samples_of(*failing);
    ASSERT_FALSE(failed.ok());
    EXPECT_THAT(failed.error().message, HasSubstr(victim.string()));
    EXPECT_THAT(failed.error().message, HasSubstr(GetParam().reason));

    const auto skipping = loader_that(*set, workers, OnBadSample::skip);
    const auto count = samples_of(*skipping);
    ASSERT_TRUE(count.ok()) << count.error().message;
    EXPECT_EQ(*count, 9);
    EXPECT_EQ(skipping->skipped(), 1);
    ASSERT_EQ(skipping->bad_samples().size(), 1u);
    EXPECT_EQ(skipping->bad_samples()[0].index, 6);
    EXPECT_THAT(skipping->bad_samples()[0].error.message, HasSubstr(victim.string()));
    EXPECT_THAT(skipping->bad_samples()[0].error.message, HasSubstr(GetParam().reason));
  }
}

INSTANTIATE_TEST_SUITE_P(BadInput, BadSampleTest, ::testing::ValuesIn(kDamages),
                         [](const auto& damage) { return damage.param.name; });

TEST(BadInput, ALabelOutOfRangeIsNamedOrSkipped) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("gld23k", 10, folder.path(), {.classes = 5, .size = {64, 48}}).ok());
  const auto set = open_gld23k(folder.path(), Split::train, 4);  // classes 0 to 4 are there
  ASSERT_TRUE(set.ok());
  const auto failed = samples_of(*loader_that(*set, 2, OnBadSample::fail));
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("label 4 is out of range, there are 4 classes"));
  const auto skipping = loader_that(*set, 2, OnBadSample::skip);
  EXPECT_EQ(*samples_of(*skipping), 8);
  EXPECT_EQ(skipping->skipped(), 2);
}

TEST(BadInput, AVanishedFolderIsNeverAHangNorAnEmptyEpoch) {
  for (const OnBadSample policy : {OnBadSample::fail, OnBadSample::skip})
    for (const int workers : {0, 2}) {
      const TemporaryFolder folder;
      ASSERT_TRUE(make_dataset("images", 40, folder.path(), {.classes = 2, .size = {64, 48}}).ok());
      const auto set = open_dataset(folder.path(), Split::train);
      const auto loader = loader_that(*set, workers, policy);
      loader->start_epoch(0);
      ASSERT_TRUE(loader->next().ok());
      fs::remove_all(folder.path());
      // In the middle of an epoch what is ahead in memory still comes, then the error or the end.
      bool failed = false;
      for (int i = 0; i < 40; ++i) {
        const auto batch = loader->next();
        failed = failed || !batch.ok();
      }
      EXPECT_EQ(failed, policy == OnBadSample::fail);
      // A whole epoch without a sample is an error under either policy.
      const auto next = samples_of(*loader);
      ASSERT_FALSE(next.ok());
      EXPECT_THAT(next.error().message, HasSubstr("No such file"));
      if (policy == OnBadSample::fail) continue;
      EXPECT_THAT(next.error().message, HasSubstr("none of the 40 samples can be read"));
    }
}

}  // namespace
}  // namespace flyball
