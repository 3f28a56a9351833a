// For tests: another process that measures on this machine.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "device/measuring.h"

namespace flyball::measuring_testing {

// Another process that measures until it is ended.
class Other {
 public:
  /// `become`: what it does before it begins; false where it could not.
  explicit Other(
      bool force = false, const std::function<bool()>& become = [] { return true; }) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const bool became = become();
      const auto session = MeasuringSession::begin({.force = force});
      (void)!::write(ready[1], became && session.ok() ? "y" : "n", 1);
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

}  // namespace flyball::measuring_testing
