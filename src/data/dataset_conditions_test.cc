#include "data/dataset_conditions.h"

#include <gmock/gmock.h>

#include <chrono>

#include "data/data_testing.h"
#include "data/formats/open.h"
#include "data/makers/make.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Conditions conditions_of(const fs::path& folder) {
  const auto dataset = open_dataset(folder, Split::train);
  EXPECT_TRUE(dataset.ok());
  return dataset_conditions(**dataset, folder);
}

class DatasetConditions : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_dataset("mnist", 20, folder_.path()).ok()); }
  TemporaryFolder folder_;
};

TEST_F(DatasetConditions, AreEqualWhileTheSetStays) {
  const Conditions first = conditions_of(folder_.path());
  EXPECT_EQ(first.at("dataset kind"), "mnist");
  EXPECT_EQ(first.at("dataset samples"), "20");
  EXPECT_EQ(first, conditions_of(folder_.path()));
  EXPECT_EQ(first, conditions_of(folder_.path() / "." / ""));
  const fs::path link = folder_.path().string() + "-link";
  fs::create_directory_symlink(folder_.path(), link);
  EXPECT_EQ(first, conditions_of(link));
  fs::remove(link);
}

TEST_F(DatasetConditions, DifferForAnotherFolderSizeOrContent) {
  const Conditions first = conditions_of(folder_.path());
  TemporaryFolder other;
  ASSERT_TRUE(make_dataset("mnist", 20, other.path()).ok());
  EXPECT_NE(first.at("dataset"), conditions_of(other.path()).at("dataset"));
  const fs::path larger = other.path() / "larger";
  ASSERT_TRUE(make_dataset("mnist", 30, larger).ok());
  EXPECT_EQ(conditions_of(larger).at("dataset samples"), "30");
  // Written again in its place.
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    fs::last_write_time(entry.path(), fs::last_write_time(entry.path()) + std::chrono::hours(1));
  EXPECT_NE(first.at("dataset files"), conditions_of(folder_.path()).at("dataset files"));
}

// A folder of JPEGs with one path for all of them: what counts is how often it is looked at.
class ManyFiles final : public Dataset {
 public:
  ManyFiles(size_t count, const fs::path& file) : files_(count, file) {}
  std::string kind() const override { return "images"; }
  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  int64_t classes() const override { return 2; }
  std::array<int, 3> shape() const override { return {3, 0, 0}; }
  Status fetch(int64_t, RawSample&) const override { return {}; }
  std::string name(int64_t) const override { return "sample"; }
  std::vector<fs::path> files() const override { return files_; }

 private:
  std::vector<fs::path> files_;
};

TEST_F(DatasetConditions, OfManyFilesSomeAreLookedAt) {
  const fs::path file = folder_.path() / "ten";
  std::ofstream(file) << "0123456789";
  EXPECT_THAT(dataset_conditions(ManyFiles(50'000, file), folder_.path()).at("dataset files"),
              HasSubstr("50000, of which 16384 with 163840 bytes of 2"));
  EXPECT_THAT(dataset_conditions(ManyFiles(3, file), folder_.path()).at("dataset files"),
              HasSubstr("3 with 30 bytes of 2"));
}

}  // namespace
}  // namespace flyball
