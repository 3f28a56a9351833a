#include "telemetry/process/terminal.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>

namespace flyball {
namespace {

// A signal comes between a call and the look at its errno.
TEST(SignalForwarding, LeavesErrnoAsItWas) {
  auto forwarding = SignalForwarding::begin();
  ASSERT_TRUE(forwarding.ok()) << forwarding.error().message;
  constexpr pid_t nobody = 0x3fffffff;  // kill() fails with ESRCH
  ASSERT_EQ(::kill(-nobody, 0), -1);
  forwarding->attach(nobody);
  errno = E2BIG;
  ::raise(SIGTERM);
  EXPECT_EQ(errno, E2BIG);
  EXPECT_EQ(SignalForwarding::received(), 1);
  EXPECT_EQ(SignalForwarding::last(), SIGTERM);
}

TEST(SignalForwarding, IsOfOneCommandAtATime) {
  const auto first = SignalForwarding::begin();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(SignalForwarding::begin().error().code, Code::conflict);
}

}  // namespace
}  // namespace flyball
