// What a start of flyball does about a board that a dead one left, and what a dead flyball leaves.
#include <gmock/gmock.h>

#include <functional>
#include <thread>

#include "base/os/guard.h"
#include "command_testing.h"
#include "device/host/board_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool within_seconds(double limit, const std::function<bool()>& holds) {
  for (int round = 0; round < limit * 100; ++round) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return holds();
}

// Has the process group a member that is no zombie?
bool group_lives(pid_t group) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string stat = slurp(entry.path() / "stat");
    std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    std::string state;
    pid_t parent = 0, its_group = 0;
    if (fields >> state >> parent >> its_group && its_group == group && state != "Z") return true;
  }
  return false;
}

class BoardTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    environment_["FLYBALL_STATE"] = tree_.state().string();
    pid_file_ = folder_ / "program";
  }

  // A process that set the clocks of the tree and was killed.
  void killed_in_a_mode(const std::vector<std::string>& restorer = {}) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("FLYBALL_STATE", tree_.state().c_str(), 1);
      Guard::set_restorer(restorer);
      const auto host = open_host(tree_.options());
      const bool applied = host.ok() && (*host)->apply({{{"cpu_mhz", 729.6}}}).ok();
      ::kill(::getpid(), applied ? SIGKILL : SIGTERM);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
  }

  // `flyball tune` of a program that notes its process and is hard to end.
  pid_t tune_stubborn_program() {
    const std::string script =
        "trap '' TERM INT HUP; echo $$ >\"$0\"; sleep 60 & sleep 60; sleep 60";
    const pid_t child = start({"tune", "--axis", "cpu_cores=1", "--no-store", "-q", "--", "sh",
                               "-c", script, pid_file_.string()});
    EXPECT_TRUE(within_seconds(30, [&] { return slurp(pid_file_).ends_with('\n'); }));
    return child;
  }
  // No member of its process group lives on.
  bool program_ended() {
    const pid_t group = std::stoi(slurp(pid_file_));
    return within_seconds(10, [&] { return !group_lives(group); });
  }

  BoardTree tree_;
  const std::map<std::string, std::string> start_ = tree_.content();
  fs::path pid_file_;
};

TEST_F(BoardTest, EveryStartPutsBack) {
  const std::vector<std::vector<std::string>> commands = {{"--version"},
                                                          {"--help"},
                                                          {"runs", "--json"},
                                                          {"measure", "--", "true"},
                                                          {"no-such-command"}};
  for (const auto& command : commands) {
    const Finished usual = run(command);
    EXPECT_THAT(usual.err, Not(HasSubstr("put back")));
    killed_in_a_mode();
    ASSERT_NE(tree_.content(), start_);
    const Finished done = run(command);
    EXPECT_EQ(done.exit_code, usual.exit_code) << command[0];
    EXPECT_THAT(done.err, HasSubstr("flyball: put back 4 settings of the board"));
    EXPECT_EQ(tree_.content(), start_) << command[0];
    EXPECT_FALSE(fs::exists(tree_.journal()));
  }
}

TEST_F(BoardTest, WhatCannotBePutBackIsSaidByEveryStartAndFailsNone) {
  killed_in_a_mode();
  const fs::path lost = tree_.file(1, "scaling_max_freq");
  fs::remove(lost);
  for (int start = 0; start < 2; ++start) {
    const Finished done = run({"workloads", "--json"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_TRUE(done.json().contains("workloads"));
    EXPECT_THAT(done.err, HasSubstr("flyball: settings of the board could not be put back"));
    EXPECT_THAT(done.err, HasSubstr(lost.string()));
    EXPECT_THAT(done.err, HasSubstr("HINT: " + tree_.journal().string() + " keeps them"));
    EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "2201600");
  }
}

// A journal that this very command has left, as a device does that could not put back.
TEST_F(BoardTest, ACommandThatLeavesTheBoardChangedFails) {
  const std::string leave = "umask 077; mkdir -p \"$0\"; echo torn >\"$0/board.journal\"";
  const Finished done = run({"measure", "--", "sh", "-c", leave, tree_.state().string()});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("board.journal is no whole journal of settings"));
  EXPECT_TRUE(fs::exists(tree_.journal()));
}

TEST_F(BoardTest, TheGuardOfAKilledProcessStartsFlyballToPutBack) {
  killed_in_a_mode({FLYBALL_BIN_DIR "/flyball", "--version"});
  EXPECT_TRUE(within_seconds(30, [&] { return !fs::exists(tree_.journal()); }));
  EXPECT_EQ(tree_.content(), start_);
}

TEST_F(BoardTest, ATunedProgramEndsWithAKilledFlyball) {
  const pid_t flyball = tune_stubborn_program();
  ::kill(flyball, SIGKILL);
  EXPECT_EQ(finish(flyball).exit_code, 128 + SIGKILL);
  EXPECT_TRUE(program_ended());
}

TEST_F(BoardTest, ATunedProgramEndsWithASecondCtrlC) {
  const pid_t flyball = tune_stubborn_program();
  ::kill(flyball, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it waits for the program
  ::kill(flyball, SIGINT);
  EXPECT_EQ(finish(flyball).exit_code, 128 + SIGINT);
  EXPECT_TRUE(program_ended());
}

TEST_F(BoardTest, WhenTheTerminalGoesNohupGoesOn) {
  for (const bool nohup : {true, false}) {
    const auto before = ::signal(SIGHUP, nohup ? SIG_IGN : SIG_DFL);  // the child inherits it
    const fs::path begun = folder_ / (nohup ? "begun under nohup" : "begun");
    const pid_t flyball =
        start({"tune", "--axis", "cpu_cores=1", "--strategy", "brute-force", "--no-verify", "-q",
               "--json", "--no-store", "--", "sh", "-c", ": >\"$0\"; sleep 1", begun.string()});
    ::signal(SIGHUP, before);
    ASSERT_TRUE(within_seconds(30, [&] { return fs::exists(begun); }));
    ::kill(flyball, SIGHUP);
    const Finished done = finish(flyball);
    EXPECT_EQ(done.exit_code, nohup ? 0 : 128 + SIGHUP) << done.err;
    EXPECT_EQ(done.err.find("interrupted") == std::string::npos, nohup) << done.err;
  }
}

}  // namespace
}  // namespace flyball::testing_tools
