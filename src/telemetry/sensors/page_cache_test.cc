#include "telemetry/sensors/page_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/files.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// The build folder lies on a real disk; a temporary folder may be memory itself.
class PageCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(FLYBALL_BIN_DIR) / ("page_cache" + std::to_string(::getpid()));
    for (const char* name : {"a", "b/c", "b/d"})
      ASSERT_TRUE(write_file(folder_ / name, std::string(1'000'000, 'x')).ok());
    ASSERT_TRUE(write_file(folder_ / "empty", "").ok());
    fs::create_symlink(folder_ / "a", folder_ / "link");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(PageCacheTest, SeesWhatWasReadAndWhatWasDropped) {
  const auto full = page_cache_share(folder_);
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->files, 4u);
  EXPECT_EQ(full->bytes, 3'000'000u);
  EXPECT_DOUBLE_EQ(full->share(), 1);
  ASSERT_TRUE(drop_from_page_cache(folder_).ok());
  const double empty = page_cache_share(folder_)->share();
  if (empty == 1) GTEST_SKIP() << "this file system is memory itself";
  EXPECT_LT(empty, 0.1);
  ASSERT_TRUE(read_file(folder_ / "b/c").ok());
  EXPECT_NEAR(page_cache_share(folder_)->share(), 1.0 / 3, 0.1);
}

TEST_F(PageCacheTest, BothMethodsAgree) {
  ASSERT_TRUE(drop_from_page_cache(folder_).ok());
  ASSERT_TRUE(read_file(folder_ / "a").ok());
  const auto files = *files_below(folder_);
  const auto mincore = page_cache_share(files, CacheMethod::mincore);
  ASSERT_TRUE(mincore.ok());
  EXPECT_EQ(mincore->method, "mincore");
  const auto cachestat = page_cache_share(files, CacheMethod::cachestat);
  if (!cachestat.ok()) GTEST_SKIP() << "this kernel has no cachestat";
  EXPECT_EQ(mincore->cached_bytes, cachestat->cached_bytes);
  EXPECT_EQ(mincore->bytes, cachestat->bytes);
}

// A data set may hold a picture that is none: to open it would wait for a writer.
TEST_F(PageCacheTest, APipeIsNotWaitedFor) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const CacheMethod method : {CacheMethod::any, CacheMethod::mincore}) {
    const auto share = page_cache_share({folder_ / "a", pipe, "/dev/zero"}, method);
    ASSERT_TRUE(share.ok());
    EXPECT_EQ(share->files, 1u);
    EXPECT_EQ(share->unreadable, 2u);
  }
  EXPECT_TRUE(drop_from_page_cache(folder_).ok());
}

TEST_F(PageCacheTest, NamesWhatIsNotThere) {
  EXPECT_EQ(page_cache_share(folder_ / "none").error().code, Code::not_found);
  fs::create_directory(folder_ / "nothing");
  EXPECT_EQ(page_cache_share(folder_ / "nothing")->files, 0u);
}

TEST_F(PageCacheTest, CountsFilesThatCannotBeRead) {
  fs::permissions(folder_ / "a", fs::perms::none);
  const WithoutPrivileges user;
  if (!user.effective()) GTEST_SKIP() << "cannot drop privileges";
  const auto share = page_cache_share({folder_ / "a", folder_ / "gone"}, CacheMethod::any);
  ASSERT_FALSE(share.ok());
  EXPECT_EQ(share.error().code, Code::permission);
}

}  // namespace
}  // namespace flyball
