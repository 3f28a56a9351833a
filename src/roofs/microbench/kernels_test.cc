#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <set>
#include <vector>

#include "roofs/microbench/peak_kernels.h"
#include "roofs/microbench/streams.h"
#include "roofs/microbench/team.h"

namespace flyball {
namespace {

TEST(PeakKernels, EachRunsHereAndEachStandsOnce) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const PeakKernel& kernel : peak_kernels()) {
    EXPECT_TRUE(seen.insert({kernel.isa, kernel.precision}).second)
        << kernel.isa << " " << kernel.precision;
    EXPECT_GT(kernel.op_per_round, 0);
    EXPECT_TRUE(std::isfinite(kernel.run(100))) << kernel.isa << " " << kernel.precision;
    EXPECT_EQ(kernel.bits % 128, 0);
  }
  EXPECT_TRUE(seen.contains({"plain", "fp32"}));
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_GE(widest_fp32().bits, 128);
#endif
}

// Every chain x → 0.999·x + 0.001 goes to 1 from wherever it began, so a kernel that leaves rounds
// or chains out gives another sum: twelve chains, or eight of plain C++.
TEST(PeakKernels, ChainsOfFloatsDoWhatTheyAreCountedFor) {
  for (const PeakKernel& kernel : peak_kernels()) {
    if (kernel.precision != "fp32" && kernel.precision != "fp64") continue;
    EXPECT_NEAR(kernel.run(20000), kernel.isa == "plain" ? 8 : 12, 0.1)
        << kernel.isa << " " << kernel.precision;
  }
}

// 1 stays 1, so the first lane of the total holds one of each vector that was read, and one more.
TEST(PeakKernels, SweepsReadAllThereIs) {
  const std::vector<float> ones(4096, 1.0F);
  for (const PeakKernel& kernel : peak_kernels()) {
    if (!kernel.sweep) continue;
    const double lanes = kernel.bits > 0 ? kernel.bits / 32.0 : 1;
    const double first = kernel.bits > 0 ? 1 : 0;
    for (const int k : {0, 1, 7})
      EXPECT_NEAR(kernel.sweep(ones.data(), ones.size(), k), 4096 / lanes + first, 0.1)
          << kernel.isa << " " << k;
  }
}

TEST(Streams, TriadAndCopyWriteWhatTheySay) {
  const std::vector<double> b = {1, 2, 3}, c = {10, 20, 30};
  std::vector<double> a(3);
  stream_triad(a.data(), b.data(), c.data(), 2, 3);
  EXPECT_EQ(a, (std::vector<double>{21, 42, 63}));
  stream_copy(a.data(), b.data(), 2);
  EXPECT_EQ(a, (std::vector<double>{1, 2, 63}));
}

TEST(Team, EveryMemberDoesItsPartEachTime) {
  for (const int size : {1, 2, 5}) {
    Team team(size);
    std::vector<std::atomic<int>> done(static_cast<size_t>(size));
    for (int turn = 1; turn <= 200; ++turn) {
      team.run([&](int i) { ++done[static_cast<size_t>(i)]; });
      for (const auto& count : done) ASSERT_EQ(count, turn);
    }
  }
}

}  // namespace
}  // namespace flyball
