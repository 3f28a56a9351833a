#include "base/os/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"

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

// A minibatch, or a read, that takes longer than anybody waits.
TEST(InterruptDeathTest, WorkThatDoesNotLookInTimeIsEnded) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EXIT(
        {
          as_in_a_terminal();
          catch_interrupts();
          set_interrupt_patience(0.1);
          ::raise(number);
          // In short sleeps: the thread sanitizer hands a signal over at a call's end.
          for (int i = 0; i < 3000; ++i) sleep_until_ns(monotonic_ns() + 10'000'000);
          ::_exit(0);
        },
        ::testing::KilledBySignal(number), "did not come to its end in time");
}

TEST(InterruptDeathTest, WhoHasLookedTakesItsTime) {
  EXPECT_EXIT(
      {
        as_in_a_terminal();
        catch_interrupts();
        set_interrupt_patience(0.5);
        const bool before = is_interrupted(&interrupt_flag());
        ::raise(SIGTERM);
        const bool after = is_interrupted(&interrupt_flag());
        sleep_until_ns(monotonic_ns() + 1'000'000'000);
        ::_exit(!before && after && !is_interrupted(nullptr) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
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
