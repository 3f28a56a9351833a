#include "device/measuring.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/temp_folder.h"
#include "device/measuring_testing.h"

namespace flyball {
namespace {

using measuring_testing::Other;
using testing::HasSubstr;

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

TEST_F(Measuring, AFolderThatCannotBeUsedIsNamed) {
  ASSERT_TRUE(write_file(folder_ / "file", "").ok());
  ::setenv("FLYBALL_STATE", (folder_ / "file/state").c_str(), 1);
  EXPECT_THAT(MeasuringSession::begin({}).error().message, HasSubstr("file"));
}

}  // namespace
}  // namespace flyball
