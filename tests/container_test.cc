// `flyball experiment run` with containers: bare beside bwrap, really started.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ContainerTest : public CommandTest {
 protected:
  fs::path experiment(int repeats, const std::string& runtimes, int samples = 160) {
    return write("small.toml",
                 "question = \"containers\"\nrepeats = " + std::to_string(repeats) +
                     "\n[dataset]\nmake = \"digits\"\nsamples = " + std::to_string(samples) +
                     "\n[fixed]\nworkload = \"lenet5\"\nthreads = 1\nepochs = 2\n"
                     "[vary]\nruntime = " +
                     runtimes + "\n");
  }
  std::vector<std::string> command(const fs::path& file) {
    return {"experiment", "run", file.string(), "--out", (folder_ / "results").string(), "--json"};
  }
  // Why it cannot be tested here; "" where it can.
  static std::string lacks(const std::string& runtime) {
    if (!built_with_torch) return "built without LibTorch";
    const std::string held = "unshare --pid --fork --kill-child --mount --mount-proc ";
    std::string start = held + "true && runc --version";
    if (runtime == "bwrap") start = "bwrap --ro-bind / / --unshare-pid --proc /proc true";
    if (runtime == "nspawn") start = held + "systemd-nspawn --version";
    const bool works = std::system(("( " + start + " ) >/dev/null 2>&1").c_str()) == 0;
    return works ? "" : runtime + " does not start here";
  }
  size_t measured() {
    size_t rows = 0;
    const Finished list = run({"runs", "list", "--json"});
    for (const auto& one : nlohmann::json(list.json()["runs"]))
      rows += one["measurements"].get<size_t>() - one["reused"].get<size_t>();
    return rows;
  }
  // Command lines that name this test's folder, but for that of `ours`.
  std::vector<std::string> command_lines(pid_t ours = 0) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
      std::string words = slurp(entry.path() / "cmdline");
      std::ranges::replace(words, '\0', ' ');
      const bool own = entry.path().filename() == std::to_string(ours);
      if (!own && words.find((folder_ / "results").string()) != std::string::npos)
        found.push_back(words);
    }
    return found;
  }
  // Such processes, and mounts.
  std::string left_over() {
    std::string found;
    for (const std::string& line : command_lines()) found += line + "\n";
    std::istringstream mounts(slurp("/proc/self/mounts"));
    for (std::string line; std::getline(mounts, line);)
      if (line.find(folder_.string()) != std::string::npos) found += line + "\n";
    return found;
  }
  // Does Flyball run in it, not an empty program?
  bool runs_in(const std::string& runtime, pid_t ours) {
    const auto lines = command_lines(ours);
    const auto any = [&](const std::string& word) {
      return std::ranges::any_of(
          lines, [&](const std::string& line) { return line.find(word) != std::string::npos; });
    };
    return any("run.db") && any(runtime + " -");
  }
  // Stops it by `signal` while a run is in a container; what is left after three seconds.
  void stop_midway(const std::string& runtime, int signal) {
    const fs::path file = experiment(20, "[\"bare\", \"" + runtime + "\"]", 6400);
    const pid_t child = start(command(file));
    bool inside = false;
    for (int i = 0; i < 6000 && !inside; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      inside = runs_in(runtime, child);
    }
    EXPECT_TRUE(inside) << "no run was ever in " << runtime;
    ::kill(child, signal);
    const Finished done = finish(child);
    EXPECT_EQ(done.exit_code, signal == SIGINT ? 130 : 137) << done.err;
    for (int i = 0; i < 600 && !left_over().empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(left_over(), "");
  }
};

TEST_F(ContainerTest, BareBesideBwrapIsMeasuredAndTakenUpAgain) {
  if (const auto why = lacks("bwrap"); !why.empty()) GTEST_SKIP() << why;
  const fs::path file = experiment(2, "[\"bare\", \"bwrap\", \"podman-less\"]");
  EXPECT_THAT(run(command(file)).err, HasSubstr("runtime cannot be podman-less"));
  experiment(2, "[\"bare\", \"bwrap\"]");
  const Finished done = run(command(file));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto answer = done.json();
  EXPECT_EQ(answer["runs"], 4);
  EXPECT_EQ(answer["question"], "containers");
  ASSERT_EQ(answer["runtimes"].size(), 1u);
  const auto& bwrap = answer["runtimes"][0];
  EXPECT_EQ(bwrap["runtime"], "bwrap");
  EXPECT_GT(bwrap["start_ms"], bwrap["bare_start_ms"]);
  EXPECT_EQ(bwrap["figures"][0]["figure"], "minibatch_ms");
  EXPECT_EQ(bwrap["figures"][0]["repeats"], 2);
  EXPECT_THAT(answer["findings"][0]["text"].get<std::string>(), HasSubstr("bwrap: "));
  EXPECT_THAT(slurp(folder_ / "results/small/report.html"), HasSubstr("bwrap: "));
  EXPECT_EQ(left_over(), "");
  EXPECT_EQ(run(command(file)).json()["reused"], 4);
}

TEST_F(ContainerTest, GoesOnAfterAKill) {
  if (const auto why = lacks("bwrap"); !why.empty()) GTEST_SKIP() << why;
  const fs::path file = experiment(3, "[\"bare\", \"bwrap\"]");
  const pid_t child = start(command(file));
  for (int i = 0; i < 3000 && measured() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGKILL);
  finish(child);
  const size_t before = measured();
  ASSERT_GE(before, 2u);
  const Finished done = run(command(file));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["reused"], before);
  EXPECT_EQ(done.json()["runs"], 6);
}

TEST_F(ContainerTest, CtrlCLeavesNoBwrapBehind) {
  if (const auto why = lacks("bwrap"); !why.empty()) GTEST_SKIP() << why;
  stop_midway("bwrap", SIGINT);
}

TEST_F(ContainerTest, AKillLeavesNoBwrapBehind) {
  if (const auto why = lacks("bwrap"); !why.empty()) GTEST_SKIP() << why;
  stop_midway("bwrap", SIGKILL);
}

TEST_F(ContainerTest, AKillLeavesNoRuncBehind) {
  if (const auto why = lacks("runc"); !why.empty()) GTEST_SKIP() << why;
  stop_midway("runc", SIGKILL);
}

TEST_F(ContainerTest, CtrlCLeavesNoNspawnBehind) {
  if (const auto why = lacks("nspawn"); !why.empty()) GTEST_SKIP() << why;
  stop_midway("nspawn", SIGINT);
}

TEST_F(ContainerTest, WhatIsMissingIsNamedBeforeAnythingRuns) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  const fs::path file = experiment(2, "[\"bare\", \"podman\", \"bwrap\"]");
  fs::create_directories(folder_ / "bin");
  environment_["PATH"] = (folder_ / "bin").string();
  const Finished refused = run(command(file));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("podman is not on PATH (package podman)"));
  EXPECT_THAT(refused.err, HasSubstr("bwrap is not on PATH (package bubblewrap)"));
  EXPECT_FALSE(fs::exists(folder_ / "results/data"));
  auto dry = command(file);
  dry.push_back("--dry-run");
  const Finished counted = run(dry);
  ASSERT_EQ(counted.exit_code, 0) << counted.err;
  EXPECT_EQ(counted.json()["roles"][0]["configurations"], 2);
  EXPECT_THAT(counted.json()["notes"].dump(), HasSubstr("left out: runtime podman"));
}

TEST_F(ContainerTest, ASimulatedBoardHasNone) {
  auto words = command(experiment(2, "[\"bare\", \"bwrap\"]"));
  words.insert(words.end(), {"--device", "twin:orin_agx"});
  const Finished refused = run(words);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("a simulated board has no containers"));
}

}  // namespace
}  // namespace flyball::testing_tools
