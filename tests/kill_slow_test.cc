// kill -9 at ten random moments of a live tune.
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "base/json.h"
#include "base/random.h"
#include "live_testing.h"

namespace flyball::testing_tools {
namespace {

TEST_F(LiveTest, KilledItKeepsEveryFinishedTrial) {
  Random random(11);
  size_t kept = 0;
  uint64_t reach_ms = 2500;
  const auto stored = [&] {
    const Finished exported = run({"export"});
    return static_cast<size_t>(std::count(exported.out.begin(), exported.out.end(), '\n'));
  };
  for (int kill = 0; kill < 10; ++kill) {
    const pid_t child = start(live({"--strategy", "brute-force", "--no-verify"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + random.below(reach_ms)));
    ::kill(child, SIGKILL);
    finish(child);
    const size_t now = stored();
    EXPECT_GE(now, kept);  // nothing that was stored is ever lost
    kept = now;
    if (kept <= 2) reach_ms += reach_ms / 2;  // a slow machine: no trial of ours was finished yet
  }
  const Finished done = run(live({"--strategy", "brute-force", "--no-verify"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = done.json();
  EXPECT_EQ(answer["profiles"], 10);
  size_t reused = 0;
  std::set<std::string> configurations;
  for (const SortedJson& trial : answer["profiled"]) {
    reused += trial["from_store"].get<bool>();
    configurations.insert(trial["config"].dump());
  }
  // The header line is one more; nothing that was stored is measured again.
  EXPECT_GT(kept, 2u) << "no kill came after a finished trial";
  EXPECT_EQ(reused + 1, kept);
}

}  // namespace
}  // namespace flyball::testing_tools
