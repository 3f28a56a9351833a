// Real control groups: a throttled disk and a memory that does not hold a file. Needs root.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "experiment/limits.h"
#include "telemetry/sensors/page_cache.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

constexpr size_t file_bytes = 40'000'000;

std::filesystem::path big_file(const TestTree& tree) {
  std::string block(1'000'000, 'x');
  const auto path = tree.put("big", "");
  const int file = ::open(path.c_str(), O_WRONLY);
  for (size_t i = 0; i < file_bytes / block.size(); ++i)
    EXPECT_EQ(::write(file, block.data(), block.size()), static_cast<ssize_t>(block.size()));
  ::fsync(file);
  ::close(file);
  return path;
}

double read_seconds(const std::filesystem::path& path) {
  std::vector<char> block(1 << 20);
  const int file = ::open(path.c_str(), O_RDONLY);
  const Stopwatch watch;
  while (::read(file, block.data(), block.size()) > 0) {
  }
  ::close(file);
  return watch.seconds();
}

TEST(Limits, AThrottledDiskReadsAtItsRate) {
  const TestTree tree;
  const auto path = big_file(tree);
  const auto disk = disk_of(path);
  if (!disk.ok()) GTEST_SKIP() << disk.error().message;
  ASSERT_TRUE(drop_from_page_cache(path).ok());
  {
    const auto limits = Limits::apply({.read_mb_s = 20, .device = *disk});
    if (!limits.ok()) GTEST_SKIP() << limits.error().message;
    const double rate = static_cast<double>(file_bytes) * 1e-6 / read_seconds(path);
    EXPECT_GT(rate, 10);
    EXPECT_LT(rate, 24);
  }
  // From the cache nothing is throttled, and after the limit the disk is not.
  EXPECT_LT(read_seconds(path), 1);
  ASSERT_TRUE(drop_from_page_cache(path).ok());
  EXPECT_LT(read_seconds(path), 1.5);
}

TEST(Limits, ASmallMemoryDoesNotHoldAFile) {
  const TestTree tree;
  const auto path = big_file(tree);
  ASSERT_TRUE(drop_from_page_cache(path).ok());
  {
    const auto limits = Limits::apply({.memory_mb = 20});
    if (!limits.ok()) GTEST_SKIP() << limits.error().message;
    read_seconds(path);
    const auto share = page_cache_share(path);
    ASSERT_TRUE(share.ok());
    EXPECT_LT(share->share(), 0.55);
    EXPECT_GT(share->share(), 0.05);
  }
  read_seconds(path);
  EXPECT_GT(page_cache_share(path)->share(), 0.95);
}

TEST(Limits, TellWhatIsHeldForGoodAndCanBeChanged) {
  const TestTree tree;
  const auto path = big_file(tree);
  ASSERT_TRUE(drop_from_page_cache(path).ok());
  const auto limits = Limits::apply({.memory_mb = 4000});
  if (!limits.ok()) GTEST_SKIP() << limits.error().message;
  const auto before = (*limits)->own_memory();
  ASSERT_TRUE(before.ok()) << before.error().message;
  read_seconds(path);
  const std::vector<char> held(30'000'000, 'x');
  const auto after = (*limits)->own_memory();
  ASSERT_TRUE(after.ok());
  // Counted in batches of pages by each core; the file's 40 MB are not in it.
  EXPECT_NEAR(static_cast<double>(*after - *before), 30e6, 3e6);
  EXPECT_GT(page_cache_share(path)->share(), 0.95);
  ASSERT_TRUE((*limits)->set_memory(*after + 10'000'000).ok());
  EXPECT_LT(page_cache_share(path)->share(), 0.35);
  EXPECT_EQ(held[7], 'x');
}

}  // namespace
}  // namespace flyball
