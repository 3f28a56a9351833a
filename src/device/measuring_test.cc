#include "device/measuring.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <functional>
#include <thread>

#include "base/clock.h"
#include "device/measuring_testing.h"

namespace flyball {
namespace {

using measuring_testing::Other;
using testing::HasSubstr;

class Measuring : public testing::Test {
 protected:
  Measuring() { ::setenv("FLYBALL_MACHINE", ("test-" + std::to_string(::getpid())).c_str(), 1); }
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
  EXPECT_THAT(refused.error().hint, HasSubstr("--force"));
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
  const std::string name = other.name();
  std::string told;
  const auto session = MeasuringSession::begin({.wait = true, .waiting = [&](const auto& who) {
                                                  told += who;
                                                  other.kill();
                                                }});
  EXPECT_TRUE(session.ok());
  EXPECT_THAT(told, HasSubstr(name));
}

TEST_F(Measuring, AWaitCanBeEnded) {
  Other other;
  const auto session = MeasuringSession::begin({.wait = true, .cancelled = [] { return true; }});
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

// Whatever state folders they have: the machine is one.
TEST_F(Measuring, AnotherUserWithAnotherFolderIsSeenAndNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  Other other(false, [] {
    ::setenv("FLYBALL_STATE", "/somewhere/else", 1);
    return ::setgid(65534) == 0 && ::setuid(65534) == 0;
  });
  const auto refused = MeasuringSession::begin({});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr(other.name()));
  EXPECT_THAT(refused.error().message, HasSubstr("of user 65534 since 20"));
}

// A server of ours that `tune --server` asks: neither refused by the session that measures it, nor
// another one.
TEST_F(Measuring, WhatIsMeasuredHasNoSession) {
  const auto session = MeasuringSession::begin({});
  ASSERT_TRUE(session.ok());
  const Other measured(false, [] { return ::setenv("FLYBALL_MEASURED", "1", 1) == 0; });
  EXPECT_EQ(others_measuring(), "");
}

TEST_F(Measuring, SessionsOfAnotherMachineDoNotSeeEachOther) {
  const Other other;
  ::setenv("FLYBALL_MACHINE", ("other-" + std::to_string(::getpid())).c_str(), 1);
  EXPECT_EQ(others_measuring(), "");
  EXPECT_TRUE(MeasuringSession::begin({}).ok());
  for (const std::string& bad : {std::string("a/b"), std::string("a b"), std::string(60, 'x')}) {
    ::setenv("FLYBALL_MACHINE", bad.c_str(), 1);
    EXPECT_THAT(MeasuringSession::begin({}).error().message, HasSubstr("FLYBALL_MACHINE"));
  }
}

}  // namespace
}  // namespace flyball
