// `flyball helper` as root runs it, and as a user who is no root has the board set by it.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <functional>
#include <thread>

#include "command_testing.h"
#include "device/host/board_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

bool soon(const std::function<bool()>& holds) {
  for (int round = 0; round < 2000 && !holds(); ++round)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

class HelperCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (::geteuid() != 0) GTEST_SKIP() << "a helper runs as root, and these tests do not";
    ::chmod(tree_.root().parent_path().c_str(), 0711);
    environment_["FLYBALL_HELPER"] = socket_.string();
    environment_["FLYBALL_SESSIONS"] = (tree_.root().parent_path() / "measuring/sessions").string();
    environment_["FLYBALL_STATE"] = (tree_.root().parent_path() / "helper-state").string();
  }
  void TearDown() override {
    if (helper_ > 0) end_helper(SIGKILL);
    CommandTest::TearDown();
  }
  void start_helper() {
    helper_ = start({"helper", "run", "--group", "root", "--root", tree_.root().string()});
    ASSERT_TRUE(soon([&] { return slurp(told(helper_, "err")).ends_with("serves\n"); }))
        << slurp(told(helper_, "err"));
  }
  int end_helper(int signal) {
    int status = 0;
    ::kill(helper_, signal);
    ::waitpid(std::exchange(helper_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // A client that sets a mode and stays; its end is the last of its process.
  pid_t set_a_mode() {
    const pid_t child = ::fork();
    if (child != 0) return child;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.string().copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const std::string line = R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":729.6}})"
                             "\n";
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) ::_exit(1);
    (void)!::write(fd, line.data(), line.size());
    while (true) ::pause();
  }
  bool mode_is_set() {
    return soon([&] {
      return tree_.get(0, "scaling_max_freq") == "729600" &&
             tree_.get(1, "scaling_min_freq") == "729600";
    });
  }
  bool restored() {
    return soon([&] { return tree_.content() == start_; });
  }

  BoardTree tree_;
  const std::map<std::string, std::string> start_ = tree_.content();
  const fs::path socket_ = tree_.root().parent_path() / "helper.sock";
  pid_t helper_ = 0;
};

TEST_F(HelperCommandTest, StatusSaysWhetherItAnswersWhatItSetsAndWhoHasTheBoard) {
  start_helper();
  const pid_t client = set_a_mode();
  ASSERT_TRUE(mode_is_set());
  const Finished done = run({"helper", "status", "--json"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const auto status = done.json();
  EXPECT_EQ(status["answers"], true);
  EXPECT_EQ(status["axes"][0]["name"], "cpu_mhz");
  EXPECT_EQ(status["axes"][0]["unit"], "MHz");
  EXPECT_EQ(status["axes"][0]["values"].size(), 4u);
  EXPECT_THAT(status["holder"].get<std::string>(), HasSubstr("process " + std::to_string(client)));
  ::kill(client, SIGKILL);
  ::waitpid(client, nullptr, 0);
  EXPECT_TRUE(restored());
  EXPECT_THAT(run({"helper", "status"}).out, HasSubstr("cpu_mhz (4 values)"));
  EXPECT_EQ(end_helper(SIGTERM), 0);
}

// Root of a container: it says so at once, and does not ask itself.
TEST_F(HelperCommandTest, WhatRootItselfMayNotSetIsAGap) {
  const std::vector<std::string> limited = {"--bounding-set", "-dac_override,-dac_read_search"};
  const auto as_limited_root = [&](std::vector<std::string> words) {
    words.insert(words.begin(), limited.begin(), limited.end());
    return words;
  };
  program_ = "/usr/bin/setpriv";
  if (!fs::exists(program_) || run(as_limited_root({"/bin/true"})).exit_code != 0)
    GTEST_SKIP() << "rights of root cannot be taken here";
  ASSERT_EQ(::chown(tree_.file(1, "scaling_max_freq").c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(tree_.file(1, "scaling_max_freq").c_str(), 0644), 0);
  helper_ = start(as_limited_root({FLYBALL_BIN_DIR "/flyball", "helper", "run", "--group", "root",
                                   "--root", tree_.root().string()}));
  program_ = FLYBALL_BIN_DIR "/flyball";
  ASSERT_TRUE(soon([&] { return slurp(told(helper_, "err")).ends_with("serves\n"); }))
      << slurp(told(helper_, "err"));
  const auto status = run({"helper", "status", "--json"}).json();
  EXPECT_EQ(status["answers"], true) << status;
  EXPECT_TRUE(status["axes"].empty());
  EXPECT_THAT(status["gaps"].dump(), HasSubstr("cpu_mhz cannot be set"));
  EXPECT_EQ(end_helper(SIGTERM), 0);
}

// Its guard starts `flyball`, or else its next start finds the journal.
TEST_F(HelperCommandTest, KilledInAModeItIsPutBack) {
  start_helper();
  const pid_t client = set_a_mode();
  ASSERT_TRUE(mode_is_set());
  EXPECT_EQ(end_helper(SIGKILL), 128 + SIGKILL);
  EXPECT_TRUE(restored());
  ::kill(client, SIGKILL);
  ::waitpid(client, nullptr, 0);
}

TEST_F(HelperCommandTest, StagedFilesAreWholeAndGoAgain) {
  const fs::path stage = folder_ / "stage";
  const Finished done = run({"helper", "install", "--stage", stage.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  program_ = (stage / "usr/local/libexec/flyball-helper").string();  // it runs where it is
  EXPECT_EQ(run({"--version"}).exit_code, 0);
  program_ = FLYBALL_BIN_DIR "/flyball";
  EXPECT_EQ(run({"helper", "uninstall", "--stage", stage.string()}).exit_code, 0);
  EXPECT_FALSE(fs::exists(stage / "etc/systemd/system/flyball-helper.service"));
}

}  // namespace
}  // namespace flyball::testing_tools
