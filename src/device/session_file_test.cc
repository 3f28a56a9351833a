#include "device/session_file.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/os/machine_name.h"
#include "base/os/temp_folder.h"
#include "device/measuring_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using measuring_testing::Other;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A file of sessions of a machine that these tests have for themselves.
class SessionFileTest : public testing::Test {
 protected:
  SessionFileTest() {
    ::setenv("FLYBALL_MACHINE", ("test-" + std::to_string(::getpid())).c_str(), 1);
    ::setenv("FLYBALL_SESSIONS", path_.c_str(), 1);
    EXPECT_TRUE(write_file(path_, "").ok());
  }
  ~SessionFileTest() override { ::unsetenv("FLYBALL_SESSIONS"); }

  // A process in a network of its own, as containers have it.
  static bool into_a_network_of_its_own() { return ::unshare(CLONE_NEWNET) == 0; }
  static bool may_make_networks() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(into_a_network_of_its_own() ? 0 : 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status == 0;
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "sessions";
};

TEST_F(SessionFileTest, TheRightIsForOneAndEndsWithIt) {
  auto first = SessionFile::open();
  auto second = SessionFile::open();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->take_right());
  EXPECT_FALSE(second->take_right());
  first.reset();
  EXPECT_TRUE(second->take_right());
}

TEST_F(SessionFileTest, WhatIsNoPlainFileOfOursIsNone) {
  EXPECT_FALSE(SessionFile::open(folder_ / "none"));
  EXPECT_FALSE(SessionFile::open(folder_.path()));
  EXPECT_FALSE(SessionFile::open("/dev/null"));
  fs::create_symlink(path_, folder_ / "link");
  EXPECT_FALSE(SessionFile::open(folder_ / "link"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(SessionFile::open(folder_ / "pipe"));
}

TEST_F(SessionFileTest, WhatAMemberWroteThatIsNoTextIsNotShown) {
  auto other = SessionFile::open();
  other->announce("process 1\x1b[2J");
  EXPECT_THAT(SessionFile::open()->elsewhere(), ElementsAre("another process"));
  EXPECT_THAT(other->elsewhere(), IsEmpty()) << "its own place";
}

TEST_F(SessionFileTest, ContainersThatShareItSeeEachOther) {
  if (!may_make_networks()) GTEST_SKIP() << "this process may make no network namespace";
  Other other(false, into_a_network_of_its_own);
  const auto refused = MeasuringSession::begin({});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr(other.name()));
  EXPECT_THAT(others_measuring(), HasSubstr(other.name()));
  other.kill();
  EXPECT_EQ(others_measuring(), "");
  EXPECT_TRUE(MeasuringSession::begin({}).ok());
}

TEST_F(SessionFileTest, WithoutItTheyDoNot) {
  if (!may_make_networks()) GTEST_SKIP() << "this process may make no network namespace";
  ::setenv("FLYBALL_SESSIONS", (folder_ / "none").c_str(), 1);
  const Other other(false, into_a_network_of_its_own);
  EXPECT_EQ(others_measuring(), "");
}

TEST_F(SessionFileTest, WhoPassesOverTheRightIsSeenFromAnotherContainer) {
  if (!may_make_networks()) GTEST_SKIP() << "this process may make no network namespace";
  const auto session = MeasuringSession::begin({});
  ASSERT_TRUE(session.ok());
  const Other other(true, into_a_network_of_its_own);
  EXPECT_THAT(others_measuring(), HasSubstr(other.name()));
}

TEST_F(SessionFileTest, ANameThatIsTakenWithoutASessionKeepsNobodyOut) {
  const auto squatted = MachineName::take("flyball-measures-test-" + std::to_string(::getpid()));
  ASSERT_TRUE(squatted.ok());
  EXPECT_TRUE(MeasuringSession::begin({}).ok());
  ::setenv("FLYBALL_SESSIONS", (folder_ / "none").c_str(), 1);
  EXPECT_FALSE(MeasuringSession::begin({}).ok()) << "without the file the name decides";
}

TEST_F(SessionFileTest, AContainerWithoutItSaysWhatItCannotSee) {
  EXPECT_EQ(unseen_sessions(folder_.path()), "") << "no container";
  ASSERT_TRUE(write_file(folder_ / ".dockerenv", "").ok());
  EXPECT_EQ(unseen_sessions(folder_.path()), "") << "it has the file";
  ::setenv("FLYBALL_SESSIONS", (folder_ / "none").c_str(), 1);
  EXPECT_THAT(unseen_sessions(folder_.path()), HasSubstr("/run/flyball-measuring"));
}

TEST_F(SessionFileTest, IsMadeForTheGroupWhichCannotReplaceIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes it";
  const fs::path made = folder_ / "place/sessions";
  ASSERT_TRUE(SessionFile::make(made, 4321).ok());
  ASSERT_TRUE(SessionFile::make(made, 4321).ok()) << "it may be there";
  struct stat file {
  }, folder{};
  ASSERT_EQ(::stat(made.c_str(), &file), 0);
  ASSERT_EQ(::stat(made.parent_path().c_str(), &folder), 0);
  EXPECT_EQ(file.st_mode & 07777, 0660u);
  EXPECT_EQ(folder.st_mode & 07777, 0750u);
  EXPECT_EQ(file.st_gid, 4321u);
  EXPECT_EQ(folder.st_gid, 4321u);
  EXPECT_EQ(folder.st_uid, 0u);
}

}  // namespace
}  // namespace flyball
