#include "base/os/machine_name.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MachineName, OneProcessHasItAndItsDeathGivesItBack) {
  const std::string name = "flyball-test-" + std::to_string(::getpid());
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const auto taken = MachineName::take(name + "/a");
    (void)!::write(ready[1], taken.ok() ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  const auto refused = MachineName::take(name + "/a");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_TRUE(MachineName::take(name + "/b").ok()) << "another name is free";
  EXPECT_THAT(MachineName::in_use(name), ElementsAre(name + "/a"));
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  EXPECT_THAT(MachineName::in_use(name), IsEmpty());
  EXPECT_TRUE(MachineName::take(name + "/a").ok());
}

TEST(MachineName, WhatIsNoNameIsRefused) {
  EXPECT_FALSE(MachineName::take("").ok());
  EXPECT_FALSE(MachineName::take(std::string(101, 'x')).ok());
}

}  // namespace
}  // namespace flyball
