#include "telemetry/process/top_processes.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::string stat_line(int pid, const std::string& name, int ticks, int start, int pages) {
  return std::to_string(pid) + " (" + name + ") S 1 1 1 0 -1 0 0 0 0 0 " + std::to_string(ticks) +
         " 0 0 0 20 0 3 0 " + std::to_string(start) + " 1000000 " + std::to_string(pages) + " 0\n";
}

TEST(TopProcesses, TheBusiestComeFirst) {
  const TestTree tree;
  tree.put("proc/10/stat", stat_line(10, "idle", 500, 1, 100));
  tree.put("proc/11/stat", stat_line(11, "busy (one)", 500, 1, 10));
  tree.put("proc/12/stat", stat_line(12, "new", 5, 1, 10));
  tree.put("proc/self/stat", "no number");
  TopProcesses top(tree.root());
  EXPECT_EQ(top.look(10).size(), 3u);
  sleep_until_ns(monotonic_ns() + 50'000'000);
  tree.put("proc/11/stat", stat_line(11, "busy (one)", 510, 1, 10));
  tree.put("proc/12/stat", stat_line(12, "new", 2, 99, 10));  // the number is used anew
  const auto seen = top.look(2);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].pid, 11);
  EXPECT_EQ(seen[0].name, "busy (one)");
  EXPECT_GT(seen[0].cpu_cores, 0);
  EXPECT_EQ(seen[1].pid, 12);
  EXPECT_EQ(seen[0].memory_bytes, 10.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

TEST(TopProcesses, NamesAreMadePlain) {
  const TestTree tree;
  tree.put("proc/10/stat", stat_line(10, "a\x1b[2Jb", 500, 1, 100));
  EXPECT_EQ(TopProcesses(tree.root()).look(1).front().name, "a?[2Jb");
}

TEST(TopProcesses, ThisProcessIsAmongThem) {
  const auto all = TopProcesses().look(100'000);
  EXPECT_EQ(std::ranges::count(all, ::getpid(), &ProcessUse::pid), 1);
}

TEST(TopProcesses, MemoryOfTheGpuIsTheJetsons) {
  EXPECT_THAT(parse_nvmap_clients("CLIENT  PROCESS  PID  SIZE\n"
                                  "user  gnome-shell  88  2532K\nuser  python3  99  12M\n"
                                  "user  python3  99  1K\ntotal   14820K\nx y z -3K\n"),
              ElementsAre(Pair(88, 2532.0 * 1024), Pair(99, 12.0 * 1024 * 1024 + 1024)));
  const TestTree tree;
  tree.put("proc/10/stat", stat_line(10, "python3", 500, 1, 100));
  tree.put("sys/kernel/debug/nvmap/iovmm/clients", "user python3 10 4K\n");
  EXPECT_EQ(TopProcesses(tree.root()).look(1).front().gpu_bytes, 4096);
}

// By the stand-in: a process holds 1 GiB of one GPU, which is 60 % busy with it, and an amount of
// the other that is not told.
TEST(TopProcesses, GpusAreThoseOfNvidiasLibrary) {
  const TestTree tree;
  std::filesystem::permissions(tree.root(), std::filesystem::perms(0755));
  const auto library = tree.root() / "usr/lib/libnvidia-ml.so.1";
  std::filesystem::create_directories(library.parent_path());
  std::filesystem::copy_file(FLYBALL_BIN_DIR "/libflyball_fake_nvml.so", library);
  std::filesystem::permissions(library, std::filesystem::perms(0755));
  tree.put("proc/10/stat", stat_line(10, "idle", 500, 1, 100));
  tree.put("proc/11/stat", stat_line(11, "python3", 500, 1, 10));
  ::setenv("FAKE_NVML_PID", "11", 1);
  TopProcesses top(tree.root());
  const auto seen = top.look(2);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].pid, 11) << "who keeps the GPU busy comes first";
  EXPECT_EQ(seen[0].gpu_bytes, 1 << 30);
  EXPECT_EQ(seen[0].gpu_busy, 0.6);
  EXPECT_FALSE(seen[1].gpu_bytes || seen[1].gpu_busy);
  ::setenv("FAKE_NVML", "no_processes", 1);
  EXPECT_FALSE(top.look(1).front().gpu_busy) << "not known";
  ::unsetenv("FAKE_NVML");
  ::unsetenv("FAKE_NVML_PID");
}

}  // namespace
}  // namespace flyball
