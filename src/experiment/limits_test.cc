#include "experiment/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

// The kernel fills a new group with its files; a plain folder has none.
TEST(Limits, SayWhatIsMissing) {
  const TestTree tree;
  fs::create_directories(tree.root() / "memory");
  const auto limits = Limits::apply({.memory_mb = 64, .cgroups = tree.root()});
  ASSERT_FALSE(limits.ok());
  EXPECT_EQ(limits.error().code, Code::unavailable);
  EXPECT_THAT(limits.error().message, HasSubstr("memory.limit_in_bytes"));
  EXPECT_THAT(limits.error().hint, HasSubstr("leave out memory_mb"));
  // Nothing is left behind.
  EXPECT_TRUE(fs::is_empty(tree.root() / "memory"));
}

TEST(Limits, WithoutRootTellTheRemedy) {
  const TestTree tree;
  fs::create_directories(tree.root() / "memory");
  fs::permissions(tree.root() / "memory", fs::perms::owner_all);
  const WithoutPrivileges user;
  if (!user.effective()) GTEST_SKIP() << "cannot drop privileges";
  const auto limits = Limits::apply({.memory_mb = 64, .cgroups = tree.root()});
  ASSERT_FALSE(limits.ok());
  EXPECT_EQ(limits.error().code, Code::permission);
  EXPECT_THAT(limits.error().hint, HasSubstr("as root"));
}

TEST(DiskOf, FindsTheWholeDiskOfAPartition) {
  const TestTree tree;
  // A file system on partition 1 of a disk, as sysfs shows it: links into the tree of devices.
  const auto own = disk_of(tree.root());
  if (!own.ok()) GTEST_SKIP() << "temporary files lie on no disk: " << own.error().message;
  const std::string number = own->text();
  tree.put("devices/sda/dev", "8:0\n");
  tree.put("devices/sda/sda1/dev", number + "\n");
  tree.put("devices/sda/sda1/partition", "1\n");
  fs::create_directories(tree.root() / "dev/block");
  fs::create_directory_symlink(tree.root() / "devices/sda/sda1",
                               tree.root() / "dev/block" / number);
  const auto disk = disk_of(tree.root(), tree.root());
  ASSERT_TRUE(disk.ok()) << disk.error().message;
  EXPECT_EQ(disk->text(), "8:0");
}

TEST(DiskOf, MemoryIsNoDisk) {
  EXPECT_EQ(disk_of("/proc").error().code, Code::unavailable);
  EXPECT_EQ(disk_of("/no/such/folder").error().code, Code::not_found);
}

}  // namespace
}  // namespace flyball
