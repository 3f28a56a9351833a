#include "device/measuring.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// Another process that measures until it is ended.
class Other {
 public:
  explicit Other(bool anyway = false) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto session = MeasuringSession::begin({.anyway = anyway});
      (void)!::write(ready[1], session.ok() ? "y" : "n", 1);
      ::pause();
      ::_exit(0);
    }
    char answer = 0;
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
  }
  ~Other() { kill(); }
  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  std::string name() const { return "process " + std::to_string(pid_) + " "; }

 private:
  pid_t pid_ = 0;
};

class Measuring : public testing::Test {
 protected:
  Measuring() { ::setenv("FLYBALL_STATE", (folder_ / "state").c_str(), 1); }
  TempFolder folder_;
};

TEST_F(Measuring, IsForOneProcessAtATimeAndTheOtherIsNamed) {
  Other other;
  const auto refused = MeasuringSession::begin({});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr(other.name()));
  EXPECT_THAT(refused.error().message, HasSubstr("device_test"));
  EXPECT_THAT(refused.error().message, HasSubstr(" since 20"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--wait"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--anyway"));
  EXPECT_THAT(others_measuring(), HasSubstr(other.name()));
  other.kill();
  EXPECT_EQ(others_measuring(), "") << "the lock of a dead process is none";
  const auto session = MeasuringSession::begin({});
  ASSERT_TRUE(session.ok()) << session.error().message;
  EXPECT_EQ(*MeasuringSession::begin({}), *session);
  EXPECT_EQ(others_measuring(), "") << "who asks is no other";
}

TEST_F(Measuring, WaitsForTheOtherToEnd) {
  Other other;
  std::string told;
  std::thread end([&] {
    sleep_until_ns(monotonic_ns() + 100'000'000);
    other.kill();
  });
  const std::string name = other.name();
  const auto session =
      MeasuringSession::begin({.wait = true, .waiting = [&](const auto& who) { told += who; }});
  end.join();
  EXPECT_TRUE(session.ok());
  EXPECT_THAT(told, testing::AnyOf("", HasSubstr(name)));
}

TEST_F(Measuring, AWaitCanBeEnded) {
  Other other;
  const std::atomic<bool> cancelled{true};
  const auto session = MeasuringSession::begin({.wait = true, .cancelled = &cancelled});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, Code::interrupted);
}

TEST_F(Measuring, WhoMeasuresAnywayIsSeenByTheOther) {
  const auto session = MeasuringSession::begin({});
  ASSERT_TRUE(session.ok());
  {
    const Other other(true);
    EXPECT_THAT(others_measuring(), HasSubstr(other.name()));
  }
  EXPECT_EQ(others_measuring(), "");
}

TEST_F(Measuring, AFolderThatCannotBeUsedIsNamed) {
  ASSERT_TRUE(write_file(folder_ / "file", "").ok());
  ::setenv("FLYBALL_STATE", (folder_ / "file/state").c_str(), 1);
  EXPECT_THAT(MeasuringSession::begin({}).error().message, HasSubstr("file"));
}

}  // namespace
}  // namespace flyball
