#include "profile/trials/live_profiler.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/os/temp_folder.h"
#include "data/makers/digits.h"
#include "device/host/host.h"
#include "module/module_testing.h"

namespace flyball {
namespace {

constexpr double kLargeBatch = 4096;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::_Exit(1);
}

// Bytes that this process may write to, as RLIMIT_DATA counts them (address space alone is free).
rlim_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    rlim_t kib = 0;
    if (key == "VmData:" && status >> kib) return kib * 1024;
  }
  fail("no VmData");
}

// What came of a trial: its failure, or "measured".
std::string outcome(Profiler& profiler, double batch_size) {
  const Space& space = profiler.space();
  for (size_t i = 0; i < space.size(); ++i) {
    if (space.row(i)[*space.axis_index("batch_size")] != batch_size) continue;
    const auto m = profiler.measure(i);
    if (!m.ok()) fail("no measurement: " + m.error().message);
    if (!m->failure.empty()) return m->failure;
    return m->minibatches.empty() ? "no minibatches" : "measured";
  }
  fail("no such trial");
}

// In a process of its own: a small trial, one that does not fit into the memory that is left, and
// a small one again.
std::string run_short_of_memory() {
  const TempFolder folder;
  const auto data = folder / "digits";
  if (!make_digits(data, {.train = static_cast<int64_t>(kLargeBatch), .test = 1}).ok())
    fail("no digits");
  auto device = open_host({.journal = folder / "journal", .cpus = {}, .pin_threads = false});
  if (!device.ok()) fail(device.error().message);
  LiveOptions options;
  options.data = data;
  options.warm_up_s = 0.001;
  options.settle_s = 0;
  options.stopping.min_seconds = 0.01;
  options.stopping.max_seconds = 0.05;
  options.open = {named_axis("batch_size", {8, kLargeBatch}), named_axis("loader_workers", {0}),
                  named_axis("cpu_cores", {1})};
  const auto profiler = make_live_profiler(*std::move(device), make_no_power("no meter"), options);
  if (!profiler.ok()) fail(profiler.error().message);
  if (outcome(**profiler, 8) != "measured") fail("the first trial is not measured");
  const rlimit limit{data_bytes() + (rlim_t{24} << 20), RLIM_INFINITY};
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) fail("no limit");
  const std::string large = outcome(**profiler, kLargeBatch);
  const std::string again = outcome(**profiler, 8);
  return "first " + large + "; then " + again;
}

// What epochs find in the long run: each trial meets the same share of the set, the first one too.
TEST(LiveProfiler, ACacheIsFilledBeforeTheFirstTrial) {
  FLYBALL_NEEDS_TORCH();
  const TempFolder folder;
  LiveOptions options;
  options.data = folder / "digits";
  ASSERT_TRUE(make_digits(options.data, {.train = 960, .test = 1}).ok());
  options.open = {named_axis("loader_workers", {0, 1}), named_axis("prefetch", {1})};
  options.warm_up_s = 0;
  options.stopping.min_seconds = 0.02;
  options.stopping.max_seconds = 0.3;
  options.cache_bytes = 480 * 784;
  auto device = open_host({.journal = folder / "journal", .cpus = {0}, .pin_threads = false});
  ASSERT_TRUE(device.ok()) << device.error().message;
  const auto profiler = make_live_profiler(*std::move(device), make_no_power("no meter"), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  EXPECT_EQ((*profiler)->info().conditions.at("sample cache"), "376320 bytes");
  for (size_t config = 0; config < (*profiler)->space().size(); ++config) {
    const auto m = (*profiler)->measure(config);
    ASSERT_TRUE(m.ok() && !m->failed()) << m->failure;
    EXPECT_DOUBLE_EQ(m->figures.at("cache_bytes") + m->figures.at("file_bytes"), 16 * 784);
    EXPECT_NEAR(m->figures.at("cache_bytes") / (16 * 784), 0.5, 0.15);
  }
}

// A measurement is the same only where these are: they must be loaded before they are listed.
TEST(LiveProfiler, ConditionsHoldTheLibrariesThatAStepRunsOn) {
  FLYBALL_NEEDS_TORCH();
  const TempFolder folder;
  LiveOptions options;
  options.data = folder / "digits";
  ASSERT_TRUE(make_digits(options.data, {.train = 32, .test = 1}).ok());
  auto device = open_host({.journal = folder / "journal", .cpus = {}, .pin_threads = false});
  ASSERT_TRUE(device.ok());
  const auto profiler = make_live_profiler(*std::move(device), make_no_power("no meter"), options);
  ASSERT_TRUE(profiler.ok());
  bool torch = false, blas = false;
  for (const auto& [name, file] : (*profiler)->info().conditions) {
    torch = torch || name.starts_with("library libtorch_cpu");
    blas = blas || name.find("blas") != std::string::npos;
  }
  EXPECT_TRUE(torch);
  EXPECT_TRUE(blas);
}

[[noreturn]] void tell_and_exit() {
  std::fprintf(stderr, "%s\n", run_short_of_memory().c_str());
  std::_Exit(0);
}

TEST(LiveProfilerDeathTest, ATrialOutOfMemoryFailsByNameAndTheNextOneRuns) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a process that runs out of memory";
#endif
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a child begun anew, without our heap
  EXPECT_EXIT(tell_and_exit(), ::testing::ExitedWithCode(0),
              "first out of memory: .*; then measured");
}

}  // namespace
}  // namespace flyball
