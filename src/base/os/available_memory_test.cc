#include "base/os/available_memory.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

TEST(AvailableMemory, IsTheMachinesOrWhatTheGroupIsAllowed) {
  const TempFolder root;
  const auto put = [&](const std::string& file, const std::string& text) {
    ASSERT_TRUE(write_file(root / file, text).ok());
  };
  EXPECT_FALSE(available_memory(root.path()));
  put("proc/meminfo", "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable:    3000 kB\n");
  EXPECT_EQ(available_memory(root.path()), 3'072'000u);
  // Version 1: 2 MB allowed, 0.9 MB used, of which 0.5 MB are file pages.
  put("proc/self/cgroup", "9:name=systemd:/x\n4:cpu,memory:/jobs/a\n0::/new\n");
  put("sys/fs/cgroup/memory/jobs/a/memory.limit_in_bytes", "2000000\n");
  put("sys/fs/cgroup/memory/jobs/a/memory.usage_in_bytes", "900000\n");
  put("sys/fs/cgroup/memory/jobs/a/memory.stat",
      "cache 700000\ninactive_file 300000\nactive_file 200000\ntotal_active_file 7\n");
  EXPECT_EQ(available_memory(root.path()), 1'600'000u);
  // Version 2: no limit, then one that is used up.
  put("sys/fs/cgroup/new/memory.max", "max\n");
  put("sys/fs/cgroup/new/memory.current", "500000\n");
  EXPECT_EQ(available_memory(root.path()), 1'600'000u);
  put("sys/fs/cgroup/new/memory.max", "400000\n");
  EXPECT_EQ(available_memory(root.path()), 0u);
}

TEST(AvailableMemory, HasTheLimitsOfTheGroupsAbove) {
  struct Version {
    std::string mounted, limit, used;
  };
  for (const Version& version :
       {Version{"", "memory.max", "memory.current"},
        Version{"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}}) {
    const TempFolder root;
    const auto put = [&](const std::string& file, const std::string& text) {
      ASSERT_TRUE(write_file(root / file, text).ok());
    };
    const auto group = [&](const std::string& name, const char* most, const char* has) {
      const std::string folder = "sys/fs/cgroup" + version.mounted + name + "/";
      put(folder + version.limit, most);
      put(folder + version.used, has);
    };
    put("proc/meminfo", "MemAvailable:    3000 kB\n");
    put("proc/self/cgroup", "4:memory:/pod/box\n0::/pod/box\n");
    group("/pod/box", "2000000", "100000");
    EXPECT_EQ(available_memory(root.path()), 1'900'000u) << version.limit;
    group("/pod", "1000000", "300000");
    EXPECT_EQ(available_memory(root.path()), 700'000u) << version.limit;
    // A container that sees its own group alone, named as the host knows it.
    for (const char* name : {"/docker/4f2", "/../../kubepods/4f2"}) {
      put("proc/self/cgroup", std::string("4:memory:") + name + "\n0::" + name + "\n");
      EXPECT_EQ(available_memory(root.path()), 3'072'000u) << version.limit;
      group("", "500000", "100000");
      EXPECT_EQ(available_memory(root.path()), 400'000u) << version.limit << " " << name;
      group("", "max", "100000");
    }
  }
}

TEST(AvailableMemory, IsKnownHere) {
  ASSERT_TRUE(available_memory());
  EXPECT_GT(*available_memory(), 1'000'000u);
}

}  // namespace
}  // namespace flyball
