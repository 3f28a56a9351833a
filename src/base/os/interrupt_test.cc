#include "base/os/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace flyball {
namespace {

// Tests of tests: what the shell that started them ignores must not matter here.
void as_in_a_terminal() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
}

TEST(InterruptDeathTest, TheFirstSignalSetsTheFlag) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EXIT(
        {
          as_in_a_terminal();
          catch_interrupts();
          catch_interrupts();  // each board asks for it
          ::raise(number);
          ::_exit(interrupt_flag().load() ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, TheSecondEndsTheProcess) {
  EXPECT_EXIT(
      {
        as_in_a_terminal();
        catch_interrupts();
        ::raise(SIGINT);
        ::raise(SIGTERM);
        ::_exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

// nohup, and what a shell without job control starts in the background.
TEST(InterruptDeathTest, WhatWasIgnoredStaysIgnored) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EXIT(
        {
          as_in_a_terminal();
          ::signal(number, SIG_IGN);
          catch_interrupts();
          ::raise(number);
          ::raise(number);
          ::_exit(interrupt_flag().load() ? 1 : 0);
        },
        ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace flyball
